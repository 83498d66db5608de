// rank_answers.c: the logits of the answers after each pair, a part of the pairs at a time.
#include "rank_answers.h"

#include <stdlib.h>
#include <string.h>

#include "pooling.h"
#include "text_library.h"

enum { PART = 64 }; // pairs whose logits are in memory together: those of all tokens

struct answers {
    int32_t ids[2]; // of yes and no
    size_t count;
};

static struct answers answers_of(const struct ga_model *model)
{
    struct answers answers = {.count = 0};
    while (answers.count < 2 &&
           ga_text_library.recorded_number(model->spec, "answers", answers.count, &answers.ids[answers.count])) {
        answers.count++;
    }
    return answers;
}

bool ga_rank_answers_as_sigmoid(const struct ga_model *model)
{
    return ga_text_library.recorded_text(model->spec, "scores", NULL, 0) != sizeof "none" - 1;
}

static void score_part(const struct answers *answers, const float *logits, size_t width, size_t count, float *scores)
{
    for (size_t i = 0; i < count; i++, logits += width) {
        const float no = answers->count > 1 ? logits[answers->ids[1]] : 0.0f;
        scores[i] = logits[answers->ids[0]] - no;
    }
}

static enum ga_exit score_all(struct ga_pooling *pooling, const struct ga_sequences *pairs, float *logits,
                              float *scores)
{
    const struct ga_model *model = pooling->context->model;
    const struct answers answers = answers_of(model);
    const size_t width = model->stack->n_logits;
    enum ga_exit code = GA_EXIT_OK;
    for (size_t first = 0; first < pairs->count && code == GA_EXIT_OK; first += PART) {
        const size_t left = pairs->count - first, count = left < PART ? left : PART;
        const struct ga_sequences part = {
            .count = count, .starts = pairs->starts + first, .ids = pairs->ids, .types = pairs->types};
        pooling->begin = pooling->end;
        pooling->end = (double)(first + count) / (double)pairs->count;
        code = ga_pool_sequences(pooling, &part, logits);
        if (code == GA_EXIT_OK) {
            score_part(&answers, logits, width, count, scores + first);
        }
    }
    return code;
}

enum ga_exit ga_rank_answers(const struct ga_context *context, const struct ga_model_instance *instance,
                             const struct ga_sequences *pairs, size_t rows, float *scores_out)
{
    const size_t width = context->model->stack->n_logits;
    float *logits = malloc(PART * width * sizeof *logits);
    if (!logits) {
        return ga_failed(context, "no memory for the logits of %d pairs", PART);
    }
    struct ga_progress progress = ga_progress_begin(context, "documents");
    struct ga_pooling pooling = ga_pooling_of(context, instance);
    pooling.field = offsetof(struct ga_batches, last_logits);
    pooling.rows = rows;
    pooling.progress = &progress;
    const enum ga_exit code = score_all(&pooling, pairs, logits, scores_out);
    ga_progress_end(&progress);
    ga_pooling_free(&pooling);
    free(logits);
    return code;
}
