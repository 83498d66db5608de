// kernels_scores.c: what the score modifiers of a model leave of scores that a fact has chosen, as the generic kernel
// says it; facts about exact numbers ask here, and not which modifiers there are. Runs no kernel.
#include <math.h>
#include <stdlib.h>

#include "kernels.h"
#include "support/reference.h"

bool call_scores_stay_alike(const struct call *call, size_t b, size_t h, size_t i)
{
    const size_t kv_rows = reference_kv_used(call->model, &call->io, b), keys = kv_rows + call->model->extra_keys;
    double *scores = calloc(keys + 1, sizeof *scores), *first = NULL;
    bool alike = scores != NULL;
    if (scores) {
        reference_idle_scores(call->model, &call->io, b, h, i, scores);
    }
    for (size_t j = 0; alike && j < keys; j++) {
        if (j >= kv_rows || call_attends(call, b, h, i, j)) {
            first = first ? first : scores + j;
            alike = scores[j] == *first;
        }
    }
    free(scores);
    return alike;
}

bool call_last_rows_stay_alike(const struct call *call)
{
    bool alike = true;
    for (size_t b = 0; alike && b < call->shape.batch; b++) {
        const size_t rows = call_q_rows(call, b);
        alike = rows == 0 || call_scores_stay_alike(call, b, 0, rows - 1);
    }
    return alike;
}

// Whether the scores of sequence b's first row, in low and high, stay apart in every key that no mask hides.
static bool row_stays_apart(const struct call *call, size_t b, double distance, double *low, double *high)
{
    const size_t keys = reference_kv_used(call->model, &call->io, b) + call->model->extra_keys;
    for (size_t j = 0; j < keys; j++) {
        low[j] = -distance / call->model->scale;
        high[j] = 0;
    }
    reference_idle_scores(call->model, &call->io, b, 0, 0, low);
    reference_idle_scores(call->model, &call->io, b, 0, 0, high);
    bool apart = true;
    for (size_t j = 0; apart && j < keys; j++) {
        apart = high[j] == -INFINITY || high[j] - low[j] > distance / 2;
    }
    return apart;
}

bool call_scores_stay_apart(const struct call *call, double distance)
{
    const size_t keys = reference_kv_len(&call->io) + call->model->extra_keys;
    double *low = malloc(keys * sizeof *low), *high = malloc(keys * sizeof *high);
    bool apart = low && high;
    for (size_t b = 0; apart && b < call->shape.batch; b++) {
        apart = row_stays_apart(call, b, distance, low, high);
    }
    free(low);
    free(high);
    return apart;
}
