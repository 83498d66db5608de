// token_vectors.c: vectors of all tokens in batches, those that do not count taken out, and the largest similarities.
#include "token_vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text_library.h"

enum { LANES = 8, MOST_UNSCORED = 256 }; // LANES: sums that do not wait for each other

bool ga_compares_tokens(const struct ga_model *model)
{
    return model->stack && model->kind == GA_ENCODER && model->stack->logits == GA_LOGITS_UNIT;
}

size_t ga_token_vectors_width(const struct ga_model *model)
{
    return ga_compares_tokens(model) ? model->stack->n_logits : model->d_model;
}

struct ga_pooling ga_pooling_of_tokens(const struct ga_context *context, const struct ga_model_instance *instance)
{
    struct ga_pooling pooling = ga_pooling_of(context, instance);
    pooling.field =
        ga_compares_tokens(context->model) ? offsetof(struct ga_batches, logits) : offsetof(struct ga_batches, output);
    return pooling;
}

// -- Tokens that are not scored -------------------------------------------------------------------------------------

struct unscored {
    int32_t ids[MOST_UNSCORED];
    size_t count;
};

static struct unscored read_unscored(const struct ga_model *model)
{
    struct unscored unscored = {.count = 0};
    int32_t *ids = unscored.ids;
    while (unscored.count < MOST_UNSCORED && ga_text_library.recorded_number &&
           ga_text_library.recorded_number(model->spec, "unscored", unscored.count, &ids[unscored.count])) {
        unscored.count++;
    }
    return unscored;
}

static bool is_scored(const struct unscored *unscored, int32_t id)
{
    size_t i = 0;
    while (i < unscored->count && unscored->ids[i] != id) {
        i++;
    }
    return i == unscored->count;
}

// Moves the vectors that count to the front of those of their text, and the texts together.
static void take_out(const struct unscored *unscored, const struct ga_sequences *sequences,
                     struct ga_token_vectors *vectors)
{
    const size_t width = vectors->width, first = sequences->starts[0];
    size_t to = 0;
    for (size_t i = 0; i < vectors->count; i++) {
        for (size_t k = sequences->starts[i]; k < sequences->starts[i + 1]; k++) {
            if (is_scored(unscored, sequences->ids[k])) {
                memmove(vectors->rows + to++ * width, vectors->rows + (k - first) * width,
                        width * sizeof *vectors->rows);
            }
        }
        vectors->starts[i + 1] = to;
    }
}

// -- Vectors --------------------------------------------------------------------------------------------------------

enum ga_exit ga_token_vectors_make(struct ga_pooling *pooling, const struct ga_sequences *sequences, bool are_documents,
                                   struct ga_token_vectors *vectors_out)
{
    const struct ga_model *model = pooling->context->model;
    const size_t count = sequences->count, width = ga_token_vectors_width(model);
    const size_t shape[] = {count > 0 ? sequences->starts[count] - sequences->starts[0] + 1 : 1, width, sizeof(float)};
    size_t bytes;
    *vectors_out = (struct ga_token_vectors){.count = count, .width = width};
    vectors_out->rows = ga_shape_elements(3, shape, &bytes) ? malloc(bytes) : NULL;
    vectors_out->starts = calloc(count + 1, sizeof *vectors_out->starts);
    if (!vectors_out->rows || !vectors_out->starts) {
        return ga_failed(pooling->context, "no memory for the vectors of %zu tokens", shape[0] - 1);
    }
    const enum ga_exit code = ga_pool_sequences(pooling, sequences, vectors_out->rows);
    if (code == GA_EXIT_OK && count > 0) {
        const struct unscored unscored = are_documents ? read_unscored(model) : (struct unscored){.count = 0};
        take_out(&unscored, sequences, vectors_out);
    }
    return code;
}

void ga_token_vectors_free(struct ga_token_vectors *vectors)
{
    free(vectors->rows);
    free(vectors->starts);
    *vectors = (struct ga_token_vectors){0};
}

// -- Similarity -----------------------------------------------------------------------------------------------------

static double multiply(const float *a, const float *b, size_t width)
{
    double lanes[LANES] = {0}, sum = 0;
    const size_t whole = width - width % LANES;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t lane = 0; lane < LANES; lane++) {
            lanes[lane] += (double)a[i + lane] * (double)b[i + lane];
        }
    }
    for (size_t i = whole; i < width; i++) {
        lanes[i - whole] += (double)a[i] * (double)b[i];
    }
    for (size_t lane = 0; lane < LANES; lane++) {
        sum += lanes[lane];
    }
    return sum;
}

double ga_max_similarity(const struct ga_token_vectors *queries, size_t a, const struct ga_token_vectors *documents,
                         size_t b)
{
    const size_t width = queries->width, begin = documents->starts[b], end = documents->starts[b + 1];
    double sum = 0;
    for (size_t i = queries->starts[a]; i < queries->starts[a + 1] && begin < end; i++) {
        double highest = -INFINITY;
        for (size_t k = begin; k < end; k++) {
            const double product = multiply(queries->rows + i * width, documents->rows + k * width, width);
            highest = product > highest ? product : highest;
        }
        sum += highest;
    }
    return sum;
}
