// kernels_exact.c: the facts whose results are exact: whole numbers in, whole numbers out, where scores are chosen so
// that a row looks at one key, or at a power of two of keys alike. What follows from random inputs is in
// kernels_oracle.c.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"
#include "support/reference.h"
#include "support/rounding.h"

// Multiply-adds a fact may ask of the generic kernel, for one model.
static const double EXACT_BUDGET = 1.5e8;

// -- Inputs whose scores are chosen ---------------------------------------------------------------------------------

// With weights_pointed a score depends on two features alone: score(i, j) = SCORE * x_i[0] * x_j[1], in every head.
enum { POINTER = 0, POINTED = 1, FREE_FEATURES = 2 };
static const double SCORE = 1e4;

// The most keys an exact average is taken over, and the largest whole number below which floats hold every one.
enum { MOST_KEYS = 128, FLOAT_WHOLE = 1 << 24 };

// Whole numbers in each row of the output projection, few enough that no sum of them leaves FLOAT_WHOLE when values
// are whole numbers of at most v_dim + 1 averaged over MOST_KEYS; their places move on from row to row, so that each
// column has some.
static void fill_o_weight(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    size_t rows = role->shape[0], columns = role->shape[1];
    size_t few = FLOAT_WHOLE / MOST_KEYS / (model->v_dim + 2) - 1;
    few = few < columns ? few : columns;
    memset(data, 0, rows * columns * sizeof *data);
    for (size_t o = 0; o < rows; o++) {
        for (size_t t = 0; t < few; t++) {
            data[o * columns + (o * few + t) % columns] = rng_below(rng, 2) ? 1.0F : -1.0F;
        }
    }
}

static void fill_pointed(const struct ga_model *model, const struct ga_weight_role *role, size_t feature, float *data)
{
    float factor = (float)sqrt(SCORE / model->scale);
    memset(data, 0, role->shape[0] * role->shape[1] * sizeof *data);
    for (size_t row = 0; row < role->shape[0]; row += model->d_head) {
        data[row * role->shape[1] + feature] = factor;
    }
}

// What no exact number may depend on: sinks take nothing, score modifiers change nothing. True where it was filled.
static bool fill_idle(const struct ga_weight_role *role, float *data)
{
    const float none = -1e9F;
    const bool sinks = strcmp(role->name, "sinks") == 0;
    const float *idle = sinks ? &none : reference_idle_weight(role->name);
    for (size_t i = 0; idle && i < role->shape[0] * (role->rank == 2 ? role->shape[1] : 1); i++) {
        data[i] = *idle;
    }
    return idle != NULL;
}

// Whole numbers everywhere; a score is what POINTER and POINTED say, and values do not look at these two.
static void weights_pointed(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                            float *data)
{
    if (fill_idle(role, data)) {
        return;
    }
    if (strcmp(role->name, "q_weight") == 0) {
        fill_pointed(model, role, POINTER, data);
    } else if (strcmp(role->name, "k_weight") == 0) {
        fill_pointed(model, role, POINTED, data);
    } else if (strcmp(role->name, "q_bias") == 0 || strcmp(role->name, "k_bias") == 0) {
        memset(data, 0, role->shape[0] * sizeof *data); // no bias
    } else if (strcmp(role->name, "o_weight") == 0) {
        fill_o_weight(rng, model, role, data);
    } else {
        rng_fill_integer(rng, data, role->shape[0] * (role->rank == 2 ? role->shape[1] : 1), 1);
    }
    for (size_t row = 0; strcmp(role->name, "v_weight") == 0 && row < role->shape[0]; row++) {
        memset(data + row * role->shape[1], 0, FREE_FEATURES * sizeof *data);
    }
}

// Query weights of zero: all scores equal zero, whatever the input, and values look at every feature.
static void weights_flat(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    if (fill_idle(role, data)) {
        return;
    }
    if (role->name[0] == 'q') {
        memset(data, 0, role->shape[0] * (role->rank == 2 ? role->shape[1] : 1) * sizeof *data);
    } else if (strcmp(role->name, "o_weight") == 0) {
        fill_o_weight(rng, model, role, data);
    } else {
        rng_fill_integer(rng, data, role->shape[0] * (role->rank == 2 ? role->shape[1] : 1), 1);
    }
}

// -1, 0 and 1 in every input, and no past: what is said of the scores holds for this call's keys alone. An added mask
// adds nothing but -inf.
static void fill_integers(struct call *call)
{
    call->shape.past = 0;
    static const enum call_buffer floats[] = {CALL_QUERY, CALL_KEY, CALL_VALUE};
    struct rng rng = rng_seeded(call->shape.seed + 2000);
    for (size_t t = 0; t < sizeof floats / sizeof floats[0]; t++) {
        const struct guard *buffer = &call->buffers[floats[t]];
        rng_fill_integer(&rng, buffer->data, buffer->bytes / sizeof(float), 1);
    }
    float *added = call->buffers[CALL_MASK].data;
    for (size_t i = 0; call->io.additive_mask && i < call->buffers[CALL_MASK].bytes / sizeof *added; i++) {
        added[i] = added[i] > -INFINITY ? 0 : -INFINITY;
    }
}

// The key sequence b points at: one that as many rows as may be see.
static size_t target_of(const struct call *call, size_t b)
{
    size_t kv_rows = call_kv_rows(call, b);
    return call->model->causal == GA_CAUSAL_NONE ? (b * 7 + call->shape.q_len) % (kv_rows + !kv_rows) : 0;
}

// Has every query point, and scores each key with at_target or elsewhere, times SCORE.
static void point(struct call *call, float at_target, float elsewhere)
{
    const size_t d_model = call->model->d_model;
    size_t kv_len = 0;
    float *query = call->buffers[CALL_QUERY].data, *keys = call->buffers[call_key_buffer(call, &kv_len)].data;
    for (size_t row = 0; row < call->shape.batch * call->shape.q_len; row++) {
        query[row * d_model + POINTER] = 1;
    }
    for (size_t row = 0; row < call->shape.batch * kv_len; row++) {
        bool hit = row % kv_len == target_of(call, row / kv_len);
        keys[row * call->model->k_dim + POINTED] = hit ? at_target : elsewhere;
    }
}

// -- Exactly --------------------------------------------------------------------------------------------------------

typedef bool row_filter(const struct call *call, size_t b, size_t i);

// Keys that have the same weight in row i of head h where scores are flat; SIZE_MAX where keys have different weights.
static size_t keys_averaged(const struct call *call, size_t b, size_t h, size_t i)
{
    const size_t seen = call_keys_seen(call, b, h, i);
    if (call->model->fills && seen < call->shape.kv_len) {
        return SIZE_MAX;
    }
    return seen == 0 && call->model->masked_uniform ? call_kv_rows(call, b) : seen + call->model->extra_keys;
}

// Dividing by the number of keys is exact; no key at all gives zeros.
static bool averages_exactly(const struct call *call, size_t b, size_t i)
{
    bool exact = true;
    for (size_t h = 0; exact && h < call->model->n_heads; h++) {
        size_t seen = keys_averaged(call, b, h, i);
        exact = seen <= MOST_KEYS && (seen & (seen - 1)) == 0 && (seen <= 1 || call_scores_stay_alike(call, b, h, i));
    }
    return exact;
}

static bool sees_its_target(const struct call *call, size_t b, size_t i)
{
    bool sees = call->model->extra_keys == 0;
    for (size_t h = 0; sees && h < call->model->n_heads; h++) {
        sees = call_attends(call, b, h, i, target_of(call, b)) && keys_averaged(call, b, h, i) != SIZE_MAX;
    }
    return sees;
}

static bool expect_exact_row(struct checks *checks, const struct call *call, enum call_buffer buffer,
                             const double *exact, size_t at, size_t count)
{
    char name[CALL_ELEMENT];
    struct approx found = approx_exactly((const float *)call->buffers[buffer].data + at, exact + at, count);
    return checks_that(checks, found.ok, "%s is %.9g, expected exactly %.9g",
                       call_element(call, buffer, at + found.at, name), found.got, found.expected);
}

static void expect_exact(struct checks *checks, const struct call *call, const struct expected *expected,
                         row_filter *filter)
{
    const size_t q_len = call->shape.q_len, kv_len = call_columns(call), n_heads = call->model->n_heads;
    const size_t d_out = call->model->d_out;
    bool ok = true;
    for (size_t row = 0; ok && row < call->shape.batch * q_len; row++) {
        size_t b = row / q_len, i = row % q_len;
        if (!filter(call, b, i)) {
            continue;
        }
        ok = expect_exact_row(checks, call, CALL_OUTPUT, expected->output, row * d_out, d_out);
        for (size_t h = 0; ok && call->io.attention && h < n_heads; h++) {
            size_t at = ((b * n_heads + h) * q_len + i) * kv_len;
            ok = expect_exact_row(checks, call, CALL_ATTENTION, expected->attention, at, kv_len);
        }
    }
}

static void run_exactly(struct checks *checks, const struct subject *subject, struct call *call, row_filter *filter)
{
    struct expected expected;
    if (!checks_need(checks, expected_make(&expected, subject, call), "no memory for the generic kernel")) {
        return;
    }
    for (size_t v = 0; v < subject->n_loaded; v++) {
        if (call_run(call, checks, subject, v)) {
            expect_exact(checks, call, &expected, filter);
        }
    }
    expected_drop(&expected);
}

// Cuts each sequence to a power of two of keys where the call has lengths.
static void cut_to_powers_of_two(struct call *call)
{
    int32_t *lengths = call->buffers[call->io.kv_lengths ? CALL_KV_LENGTHS : CALL_Q_LENGTHS].data;
    for (size_t b = 0; lengths && b < call->shape.batch; b++) {
        int32_t power = 1;
        while (2 * power <= lengths[b] && 2 * power <= MOST_KEYS) {
            power *= 2;
        }
        lengths[b] = lengths[b] > 0 ? power : 0;
    }
}

static void average(struct checks *checks, const struct subject *subject, struct call *call)
{
    fill_integers(call);
    cut_to_powers_of_two(call);
    run_exactly(checks, subject, call, averages_exactly);
}

// One key scores 0 and all others -1e4, whose exponential is 0 in any float; a cap would leave some of it.
static void select_one(struct checks *checks, const struct subject *subject, struct call *call)
{
    if (call->io.query && call_scores_stay_apart(call, SCORE)) {
        fill_integers(call);
        point(call, 0, -1);
        run_exactly(checks, subject, call, sees_its_target);
    }
}

void integers_come_out_exactly(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_flat, EXACT_BUDGET, average);
    if (kernels_for_pointed(model)) {
        kernels_each_call(checks, model, weights_pointed, EXACT_BUDGET, select_one);
    }
}

// -- Nearly zero ----------------------------------------------------------------------------------------------------

// Whole numbers below 2^14 times 2^-140 are subnormals, and a 128th of one is still a multiple of the smallest. Where
// weights or cached rows have fewer bits, it is the smallest number that these have.
static float tiny(const struct ga_model *model)
{
    const float least = model->cache > 0 ? (float)ldexp(1, rounding_smallest_exponent(model->cache_dtype)) : 0;
    return fmaxf(0x1p-140F, fmaxf(least, (float)weights_smallest(model)));
}

static void scale_down(float *data, size_t count, float by)
{
    for (size_t i = 0; i < count; i++) {
        data[i] *= by;
    }
}

// Whether what a role holds is added to values or to outputs.
static bool is_added(const struct ga_weight_role *role)
{
    return strcmp(role->name, "v_bias") == 0 || strcmp(role->name, "bias_v") == 0 || strcmp(role->name, "o_bias") == 0;
}

// Values and outputs come out times tiny(model).
static void make_tiny(const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    if (strcmp(role->name, "v_weight") == 0 || is_added(role)) {
        scale_down(data, role->shape[0] * (role->rank == 2 ? role->shape[1] : 1), tiny(model));
    }
}

static void weights_tiny(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role, float *data)
{
    weights_flat(rng, model, role, data);
    make_tiny(model, role, data);
}

static void weights_pointed_tiny(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                                 float *data)
{
    weights_pointed(rng, model, role, data);
    make_tiny(model, role, data);
}

// For inputs that are times tiny(model) themselves.
static void weights_for_tiny(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                             float *data)
{
    weights_flat(rng, model, role, data);
    if (is_added(role)) {
        scale_down(data, role->shape[0], tiny(model));
    }
}

static void average_tiny(struct checks *checks, const struct subject *subject, struct call *call)
{
    static const enum call_buffer floats[] = {CALL_QUERY, CALL_KEY, CALL_VALUE};
    fill_integers(call);
    cut_to_powers_of_two(call);
    for (size_t t = 0; t < sizeof floats / sizeof floats[0]; t++) {
        const struct guard *buffer = &call->buffers[floats[t]];
        scale_down(buffer->data, buffer->bytes / sizeof(float), tiny(call->model));
    }
    if (call->io.query) {
        run_exactly(checks, subject, call, averages_exactly);
    }
}

void subnormals_come_out_exactly(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_tiny, EXACT_BUDGET / 8, average);
    kernels_each_call(checks, model, weights_for_tiny, EXACT_BUDGET / 8, average_tiny);
    if (kernels_for_pointed(model)) {
        kernels_each_call(checks, model, weights_pointed_tiny, EXACT_BUDGET / 8, select_one);
    }
}

// -- Large scores ---------------------------------------------------------------------------------------------------

// One key far above the rest, one far below, all equal and large, all equal and small: no near ties, so that the usual
// tolerance holds. Only modifiers by distance make ties of equal scores, and what they add is rounded as a score is.
static void compare_extremes(struct checks *checks, const struct subject *subject, struct call *call)
{
    static const float scores[][2] = {{1, -1}, {-1, 1}, {1, 1}, {-1, -1}};
    for (size_t s = 0; call->io.query && s < sizeof scores / sizeof scores[0]; s++) {
        fill_integers(call);
        point(call, scores[s][0], scores[s][1]);
        compare_with_generic(checks, subject, call, call_last_rows_stay_alike(call) ? 0 : SCORE * FLT_EPSILON);
    }
}

void scores_of_ten_thousand_stay_accurate(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_pointed, EXACT_BUDGET / 2, compare_extremes);
}
