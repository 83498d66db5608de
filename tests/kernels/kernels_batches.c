// kernels_batches.c: the fact that sequences in batches, on any threads, give the bits that each gives in a call of its
// own. Which batches there are is a matter of tests/unit/test_batches.c.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "batches.h"
#include "kernels.h"
#include "min_max.h"
#include "support/rng.h"
#include "threads.h"

enum { COUNT = 9, MOST_IDS = 40, RESULTS = 5, THREADS = 3 };

// Sequences, and room for the results of all, one after the other. A call has rows for ids that an only sequence lacks,
// which the results of the next one take.
struct sequences {
    const struct ga_model *model;
    size_t most; // ids of one
    size_t starts[COUNT + 1], order[COUNT];
    int32_t *ids, *types; // types: NULL where the model has none
    size_t widths[RESULTS];
    float *alone[RESULTS], *together[RESULTS];
};
enum { OUTPUT, LOGITS, EMBEDDING, LAST_LOGITS, CLASS_LOGITS };

bool kernels_for_batched(const struct ga_model *model)
{
    return model->stack && model->kind == GA_ENCODER && model->vocab_size > 0 && model->batch == 0 && model->cache == 0;
}

static void fill(struct sequences *s)
{
    const struct ga_model *model = s->model;
    struct rng rng = rng_seeded(11);
    const size_t least = model->lengths ? 0 : model->q_len.min;
    for (size_t i = 0; i < COUNT; i++) {
        s->starts[i + 1] = s->starts[i] + least + rng_below(&rng, 1 + s->most - least);
    }
    for (size_t k = 0; k < s->starts[COUNT]; k++) {
        s->ids[k] = (int32_t)rng_below(&rng, model->vocab_size);
        s->types[k] = (int32_t)rng_below(&rng, ga_max(model->stack->token_types, 1));
    }
}

static size_t rows_of(const struct sequences *s, size_t result)
{
    return result <= LOGITS ? (COUNT + 1) * s->most : COUNT;
}

static bool make(struct sequences *s, const struct ga_model *model)
{
    const struct ga_stack *stack = model->stack;
    *s = (struct sequences){
        .model = model,
        .most = ga_max(model->q_len.min, ga_min(model->q_len.max, MOST_IDS)),
        .widths = {model->d_model, stack->n_logits, stack->d_embedding, stack->n_logits, stack->n_labels},
    };
    s->ids = calloc((COUNT + 1) * s->most, sizeof *s->ids);
    s->types = calloc((COUNT + 1) * s->most, sizeof *s->types);
    bool ok = s->ids && s->types;
    for (size_t r = 0; r < RESULTS; r++) {
        s->alone[r] = calloc(rows_of(s, r) * s->widths[r] + 1, sizeof(float));
        s->together[r] = calloc(rows_of(s, r) * s->widths[r] + 1, sizeof(float));
        ok = ok && s->alone[r] && s->together[r];
    }
    if (ok) {
        fill(s);
    }
    return ok;
}

static void drop(struct sequences *s)
{
    free(s->ids);
    free(s->types);
    for (size_t r = 0; r < RESULTS; r++) {
        free(s->alone[r]);
        free(s->together[r]);
    }
}

static float *at(const struct sequences *s, float *const *results, size_t result, size_t row)
{
    return s->widths[result] > 0 ? results[result] + row * s->widths[result] : NULL;
}

// One sequence in a call of its own.
static bool run_alone(const struct sequences *s, const struct ga_loaded *loaded, size_t i, struct ga_error *error)
{
    const struct ga_model *model = s->model;
    const size_t start = s->starts[i], length = s->starts[i + 1] - start;
    const int32_t real = (int32_t)length;
    const struct ga_io io = {.batch = 1,
                             .q_len = ga_max(length, model->q_len.min),
                             .tokens = s->ids + start,
                             .token_types = model->stack->token_types > 0 ? s->types + start : NULL,
                             .q_lengths = model->lengths ? &real : NULL,
                             .output = at(s, s->alone, OUTPUT, start),
                             .logits = at(s, s->alone, LOGITS, start),
                             .embedding = at(s, s->alone, EMBEDDING, i),
                             .last_logits = at(s, s->alone, LAST_LOGITS, i),
                             .class_logits = at(s, s->alone, CLASS_LOGITS, i)};
    const size_t size = ga_model_scratch_size(model, ga_loaded_variant(loaded), 1, io.q_len, 0, 1);
    void *scratch = ga_block_new(size);
    const enum ga_status status = ga_model_run(loaded, &io, scratch, size, error);
    ga_block_free(scratch);
    return status == GA_OK;
}

static bool run_together(struct sequences *s, const struct ga_loaded *loaded, const struct ga_parallel *parallel,
                         size_t rows, struct ga_error *error)
{
    const struct ga_batches batches = {.count = COUNT,
                                       .starts = s->starts,
                                       .ids = s->ids,
                                       .types = s->model->stack->token_types > 0 ? s->types : NULL,
                                       .rows = rows,
                                       .output = at(s, s->together, OUTPUT, 0),
                                       .logits = at(s, s->together, LOGITS, 0),
                                       .embedding = at(s, s->together, EMBEDDING, 0),
                                       .last_logits = at(s, s->together, LAST_LOGITS, 0),
                                       .class_logits = at(s, s->together, CLASS_LOGITS, 0),
                                       .parallel = parallel};
    struct ga_batch_plan plan;
    enum ga_status status = ga_batches_plan(loaded, &batches, s->order, &plan, error);
    void *scratch = status == GA_OK ? ga_block_new(plan.scratch_size) : NULL;
    status = status == GA_OK ? ga_batches_run(loaded, &batches, &plan, scratch, plan.scratch_size, error) : status;
    ga_block_free(scratch);
    return status == GA_OK;
}

static void compare(struct checks *checks, const struct sequences *s, const char *how)
{
    for (size_t r = 0; r < RESULTS; r++) {
        const size_t rows = r <= LOGITS ? s->starts[COUNT] : COUNT;
        checks_that(checks, memcmp(s->alone[r], s->together[r], rows * s->widths[r] * sizeof(float)) == 0,
                    "result %zu has other bits %s", r, how);
    }
}

static void check_variant(struct checks *checks, struct sequences *s, const struct ga_loaded *loaded,
                          const struct ga_parallel *parallel)
{
    static const struct {
        const char *how;
        size_t rows;
        bool is_parallel;
    } ways[] = {{"in one batch", SIZE_MAX, false},
                {"one by one", 1, false},
                {"of three threads", 1, true},
                {"in a batch of three threads", SIZE_MAX, true},
                {"in batches of a few", 60, true}};
    struct ga_error error = {.text = ""};
    checks_subject(checks, s->model->name, ga_loaded_variant(loaded)->isa);
    for (size_t i = 0; i < COUNT; i++) {
        checks_need(checks, run_alone(s, loaded, i, &error), "sequence %zu: %s", i, error.text);
    }
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        if (checks_need(checks, run_together(s, loaded, ways[w].is_parallel ? parallel : NULL, ways[w].rows, &error),
                        "%s: %s", ways[w].how, error.text)) {
            compare(checks, s, ways[w].how);
        }
    }
}

void sequences_in_batches_give_the_bits_of_calls(struct checks *checks, const struct ga_model *model)
{
    struct subject subject;
    struct sequences sequences;
    struct ga_threads *pool = NULL;
    const bool is_made = make(&sequences, model) && ga_threads_new(THREADS, &pool, NULL) == GA_OK;
    if (checks_need(checks, is_made, "no memory for sequences") &&
        subject_make(&subject, checks, model, weights_random, false)) {
        for (size_t v = 0; v < subject.n_loaded; v++) {
            check_variant(checks, &sequences, subject.loaded[v], ga_threads_parallel(pool));
        }
    }
    if (is_made) {
        subject_drop(&subject);
    }
    ga_threads_free(pool);
    drop(&sequences);
}
