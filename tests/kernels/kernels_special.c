// kernels_special.c: facts about numbers that are none, too large or nearly zero: NaN and infinities go where the
// generic kernel has them, subnormals are numbers like others. Where a NaN must not go is in kernels_nan.c.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"
#include "support/approx.h"
#include "support/reference_rounded.h"

// Multiply-adds of one round of calls, for one model; each is done over for every special number in every tensor.
static const double SPECIAL_BUDGET = 3e6;

// -- Against the generic kernel -------------------------------------------------------------------------------------

// What a call is held against: the generic kernel's outputs in float, and of both precisions those that are finite in
// both; the others count as zeros there.
struct outcome {
    struct expected expected;
    float *generic, *got;
    size_t count;
};

static void outcome_drop(struct outcome *outcome)
{
    expected_drop(&outcome->expected);
    free(outcome->generic);
    free(outcome->got);
}

static bool outcome_make(struct outcome *outcome, const struct subject *subject, const struct call *call)
{
    *outcome = (struct outcome){.count = call->shape.batch * call_out_elements(call)};
    outcome->generic = malloc(outcome->count * sizeof(float));
    outcome->got = malloc(outcome->count * sizeof(float));
    if (!outcome->generic || !outcome->got || !expected_make(&outcome->expected, subject, call)) {
        return false;
    }
    memcpy(outcome->generic, outcome->expected.output_f32, outcome->count * sizeof(float));
    for (size_t at = 0; at < outcome->count; at++) {
        if (!isfinite(outcome->generic[at]) || !isfinite(outcome->expected.output[at])) {
            outcome->expected.output_f32[at] = 0;
            outcome->expected.output[at] = 0;
        }
    }
    return true;
}

// A NaN for a NaN, an infinity for the same one, a finite number for one.
static bool is_same_kind(float got, float generic)
{
    return isfinite(generic) ? isfinite(got) : isnan(generic) ? isnan(got) : got == generic;
}

static void expect_outcome(struct checks *checks, const struct call *call, struct outcome *outcome)
{
    char name[CALL_ELEMENT];
    for (size_t at = 0; at < outcome->count; at++) {
        const float got = call->io.output[at], generic = outcome->generic[at];
        if (!is_same_kind(got, generic)) {
            checks_that(checks, false, "%s is %.9g, and the generic kernel has %.9g",
                        call_element(call, CALL_OUTPUT, at, name), (double)got, (double)generic);
            return;
        }
        outcome->got[at] = isfinite(generic) ? got : 0;
    }
    const struct approx_error generic =
        approx_error(outcome->expected.output_f32, outcome->expected.output, outcome->count);
    const struct approx found =
        approx_layer(outcome->got, outcome->expected.output, outcome->count, generic, reference_step(call->model), 0);
    checks_that(checks, found.ok, "%s is %.9g, expected %.9g (largest error %.3g, allowed %.3g)",
                call_element(call, CALL_OUTPUT, found.at, name), found.got, found.expected, found.error, found.limit);
}

static void compare_kinds(struct checks *checks, const struct subject *subject, struct call *call)
{
    struct outcome outcome;
    const bool ok = checks_need(checks, outcome_make(&outcome, subject, call), "no memory for the generic kernel");
    for (size_t v = 0; ok && v < subject->n_loaded; v++) {
        if (call_run(call, checks, subject, v)) {
            expect_outcome(checks, call, &outcome);
        }
    }
    outcome_drop(&outcome);
}

// -- In inputs ------------------------------------------------------------------------------------------------------

// Whether a score of -inf is a hidden key's, whatever made it: a row of nothing else then has no key, and else is NaN.
static bool hides_by_score(const struct ga_model *model)
{
    return model->mask != GA_MASK_NONE || model->masked_uniform || model->fills;
}

static void compare_with_specials(struct checks *checks, const struct subject *subject, struct call *call)
{
    static const float specials[] = {NAN, INFINITY, -INFINITY, 0x1p-149F, -0x1.8p-130F};
    static const enum call_buffer tensors[] = {CALL_QUERY, CALL_KEY, CALL_VALUE};
    enum { SPECIALS = sizeof specials / sizeof *specials, TENSORS = sizeof tensors / sizeof *tensors };
    for (size_t i = 0; i < (size_t)TENSORS * SPECIALS; i++) {
        const struct guard *tensor = &call->buffers[tensors[i / SPECIALS]];
        const size_t count = tensor->bytes / sizeof(float);
        const bool scores = tensors[i / SPECIALS] != CALL_VALUE;
        if (count > 0 && !(scores && isinf(specials[i % SPECIALS]) && hides_by_score(call->model))) {
            float *element = (float *)tensor->data + count / 2 + count / 7;
            const float before = *element;
            *element = specials[i % SPECIALS];
            compare_kinds(checks, subject, call);
            *element = before;
        }
    }
}

// Whether a product rounds to integers, which infinities have none of, as rows times weights in groups may be.
static bool multiplies_integers(const struct ga_model *model)
{
    bool integers = model->attention_arithmetic == GA_ARITHMETIC_I16;
    for (size_t l = 0; l < GA_LINEARS; l++) {
        integers = integers || model->arithmetic[l] == GA_ARITHMETIC_I16 || model->arithmetic[l] == GA_ARITHMETIC_INT8;
    }
    return integers;
}

// Sums of a pair of rows that are infinite have a NaN as their difference.
// The formulas of gelu and silu have a NaN for -inf, where the functions have 0; a stack has one of them in its middle.
bool kernels_for_specials(const struct ga_model *model)
{
    bool smooth = model->stack != NULL;
    for (size_t p = 0; p < GA_PROJECTIONS; p++) {
        const enum ga_activation activation = model->activation[p];
        smooth = smooth || activation == GA_ACTIVATION_GELU || activation == GA_ACTIVATION_GELU_TANH ||
                 activation == GA_ACTIVATION_SILU;
    }
    return !smooth && model->rows_together == 0 && !multiplies_integers(model) && !kernels_keep_groups(model);
}

// Weights of one sign, by which an infinite input makes infinite outputs: of both signs, sums of them are NaN anyway.
static void weights_positive(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                             float *data)
{
    weights_random(rng, model, role, data);
    for (size_t i = 0; i < role->shape[0] * (role->rank == 2 ? role->shape[1] : 1); i++) {
        data[i] = fabsf(data[i]);
    }
}

void specials_match_the_generic_kernel(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_random, SPECIAL_BUDGET, compare_with_specials);
    kernels_each_call(checks, model, weights_positive, SPECIAL_BUDGET / 4, compare_with_specials);
}

// -- In weights -----------------------------------------------------------------------------------------------------

// Random weights, but for one in the middle of one linear's.
static void weights_with(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role, float *data,
                         char linear, float special)
{
    const size_t count = role->shape[0] * (role->rank == 2 ? role->shape[1] : 1);
    weights_random(rng, model, role, data);
    if (role->name[0] == linear && strcmp(role->name + 1, "_weight") == 0) {
        data[count / 2 + count / 7] = special;
    }
}

static void weights_with_nan_in_k(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                                  float *data)
{
    weights_with(rng, model, role, data, 'k', NAN);
}

static void weights_with_infinity_in_v(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                                       float *data)
{
    weights_with(rng, model, role, data, 'v', INFINITY);
}

static void weights_with_infinity_in_o(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                                       float *data)
{
    weights_with(rng, model, role, data, 'o', -INFINITY);
}

bool kernels_for_special_weights(const struct ga_model *model)
{
    return kernels_for_projected(model) && kernels_for_specials(model);
}

void special_weights_match_the_generic(struct checks *checks, const struct ga_model *model)
{
    static weight_fill *const fills[] = {weights_with_nan_in_k, weights_with_infinity_in_v, weights_with_infinity_in_o};
    // Narrow attention's error may change the sign of a number near zero, and an infinity times it has that sign.
    const size_t count = sizeof fills / sizeof *fills - (model->attention_arithmetic != GA_ARITHMETIC_F32);
    for (size_t f = 0; f < count; f++) {
        kernels_each_call(checks, model, fills[f], SPECIAL_BUDGET, compare_kinds);
    }
}
