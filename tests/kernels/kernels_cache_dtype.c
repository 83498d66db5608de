// kernels_cache_dtype.c: the fact that a cache in fewer bits holds each key and value as the nearest number of its
// type, or of the row's step. Whole numbers make them exact before they are rounded, so that nothing else can be told
// from a wrong rounding.
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/reference.h"
#include "support/rounding.h"

// The largest whole numbers in rows and weights: keys have more bits than a narrow type, and fewer than a float.
enum { MOST = 50 };

static const double ROUNDED_BUDGET = 2e7;

bool kernels_for_rounding(const struct ga_model *model)
{
    return kernels_for_cached(model) && kernels_for_linear(model) && model->cache_dtype != GA_F32;
}

static void weights_whole(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    (void)model;
    rng_fill_integer(rng, data, role->shape[0] * (role->rank == 2 ? role->shape[1] : 1), MOST);
}

static void fill_whole(struct call *call)
{
    static const enum call_buffer floats[] = {CALL_QUERY, CALL_KEY, CALL_VALUE};
    struct rng rng = rng_seeded(call->shape.seed + 3000);
    call->shape.past = 0;
    for (size_t t = 0; t < sizeof floats / sizeof floats[0]; t++) {
        const struct guard *buffer = &call->buffers[floats[t]];
        rng_fill_integer(&rng, buffer->data, buffer->bytes / sizeof(float), MOST);
    }
}

// What the generic kernel has of keys and values before they are rounded, and what a cache gives of one sequence.
struct held {
    size_t kv_len, heads, d_head;
    double *exact[2]; // [batch][heads][kv_len][d_head]
    float *wanted[2]; // the same as the cache is to hold it
    float *found[2];  // [heads][kv_len][d_head]
};

static void round_rows(struct held *held, enum ga_dtype dtype, size_t count)
{
    for (size_t at = 0; at < 2 * count; at += held->d_head) {
        const double *exact = held->exact[at / count] + at % count;
        float *wanted = held->wanted[at / count] + at % count;
        for (size_t d = 0; d < held->d_head; d++) {
            wanted[d] = (float)exact[d];
        }
        rounding_row(dtype, held->d_head, wanted);
    }
}

static bool held_make(struct held *held, const struct subject *subject, const struct call *call)
{
    const struct ga_model *model = call->model;
    size_t shape[4];
    ga_intermediate_shape(model, GA_K_HEADS, call->shape.batch, call->shape.q_len, call->shape.kv_len, shape);
    *held = (struct held){.kv_len = shape[2], .heads = shape[1], .d_head = shape[3]};
    const size_t count = shape[1] * shape[2] * shape[3];
    double *more[GA_INTERMEDIATES] = {0};
    double *output = malloc(call->shape.batch * call_out_elements(call) * sizeof *output);
    bool ok = output != NULL;
    for (size_t i = 0; i < 2; i++) {
        held->exact[i] = calloc(call->shape.batch * count, sizeof *held->exact[i]);
        held->wanted[i] = malloc(call->shape.batch * count * sizeof *held->wanted[i]);
        held->found[i] = malloc(count * sizeof *held->found[i]);
        ok = ok && held->exact[i] && held->wanted[i] && held->found[i];
    }
    more[GA_K_HEADS] = held->exact[0];
    more[GA_V_HEADS] = held->exact[1];
    ok = ok && reference_more_f64(model, subject->roles, &call->io, output, NULL, more);
    free(output);
    if (ok) {
        round_rows(held, model->cache_dtype, call->shape.batch * count);
    }
    return ok;
}

static void held_drop(struct held *held)
{
    for (size_t i = 0; i < 2; i++) {
        free(held->exact[i]);
        free(held->wanted[i]);
        free(held->found[i]);
    }
}

// One sequence of a cache that took all rows of a call.
static void expect_nearest(struct checks *checks, const struct call *call, const struct ga_cache *cache, size_t b,
                           const struct held *held)
{
    static const char *const names[] = {"key", "value"};
    struct ga_error error = {.text = ""};
    const size_t row = held->d_head, rows = held->kv_len, count = held->heads * rows * row;
    bool ok = checks_need(checks, ga_cache_get(cache, b, held->found[0], held->found[1], rows, &error) == GA_OK, "%s",
                          error.text);
    for (size_t i = 0; ok && i < 2 * count; i++) {
        const size_t at = i % count, j = at / row % rows;
        const double exact = held->exact[i / count][b * count + at];
        const float found = held->found[i / count][at];
        const float wanted = held->wanted[i / count][b * count + at];
        ok = checks_that(checks, j >= call_kv_rows(call, b) || found == wanted,
                         "%s %zu of sequence %zu, element %zu is kept as %.9g, expected %.9g, nearest to %.9g",
                         names[i / count], j, b, at % row, (double)found, (double)wanted, exact);
    }
}

static void compare_held(struct checks *checks, const struct subject *subject, struct call *call)
{
    struct held held;
    fill_whole(call);
    const bool ok = checks_need(checks, held_make(&held, subject, call), "no memory for the generic kernel");
    for (size_t v = 0; ok && v < subject->n_loaded; v++) {
        struct guard block;
        if (!call_new_cache(&block, checks, subject, v, call->shape.batch, held.kv_len)) {
            break;
        }
        if (call_run_with(call, checks, subject, v, block.data)) {
            for (size_t b = 0; b < call->shape.batch; b++) {
                expect_nearest(checks, call, block.data, b, &held);
            }
        }
        guard_drop(&block);
    }
    held_drop(&held);
}

void cached_rows_are_rounded_to_nearest(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_whole, ROUNDED_BUDGET, compare_held);
}
