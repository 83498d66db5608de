// kernels_activation.c: the fact that an activation is as accurate as a float function should be, over all magnitudes
// and not just near the size of the layer's own numbers. Looks at one element at a time; whole layers are compared
// elsewhere.
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels.h"

enum { ROUNDS = 24 };
// Of the result's last place: what an activation may lose, and what two of them one after the other may.
static const double ONE_ULP = 5, BOTH_ULP = 8;
static const float THROUGH = 0x1p-10F;
// Below, an exponential on the way may be a number that floats hold inexactly, or 0.
static const double LOST = 1e-35;

static size_t elements(const struct ga_weight_role *role)
{
    return role->shape[0] * (role->rank == 2 ? role->shape[1] : 1);
}

// Numbers of either sign and of every magnitude from 2^-30 to 2^7.
static void fill_magnitudes(struct rng *rng, float *data, size_t count)
{
    rng_fill_normal(rng, data, count, 1);
    for (size_t i = 0; i < count; i++) {
        data[i] = ldexpf(data[i], (int)rng_below(rng, 36) - 30);
    }
}

// Each output is one value, times a factor where another activation follows, which is linear so close to zero.
static void weights_through(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                            float *data)
{
    const char p = role->name[0];
    if (p != 'v' && p != 'o') {
        weights_random(rng, model, role, data);
        return;
    }
    memset(data, 0, elements(role) * sizeof *data);
    for (size_t row = 0; role->rank == 2 && row < role->shape[0]; row++) {
        const bool small = p == 'o' && model->activation[GA_O] != GA_ACTIVATION_NONE;
        data[row * role->shape[1] + row % role->shape[1]] = small ? THROUGH : 1;
    }
}

// Each output is one element of the output projection's bias: values are zero.
static void weights_of_bias(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                            float *data)
{
    weights_random(rng, model, role, data);
    if (role->name[0] == 'v') {
        memset(data, 0, elements(role) * sizeof *data);
    }
    if (strcmp(role->name, "o_bias") == 0) {
        fill_magnitudes(rng, data, elements(role));
    }
}

// One query and one key, whose weight is 1; false: no call of this model, or no memory.
static bool call_of_one_key(struct call *call, const struct ga_model *model, uint64_t seed)
{
    const struct shape shape = {
        .batch = model->batch ? model->batch : 1,
        .q_len = model->q_len.min,
        .kv_len = model->kv_len.min,
        .form = FORM_CROSS_VALUE,
        .seed = seed,
    };
    if (model->kv_len.min != 1 || !call_make(call, model, &shape, GUARD_AT_END)) {
        return false;
    }
    struct rng rng = rng_seeded(seed);
    call_fill(call);
    fill_magnitudes(&rng, call->buffers[CALL_VALUE].data, call->buffers[CALL_VALUE].bytes / sizeof(float));
    return true;
}

// How far got is from exact in units of the last place of a float like it.
static double ulps(float got, double exact)
{
    int exponent = 0;
    (void)frexp(exact, &exponent);
    return fabs((double)got - exact) / ldexp(1, exponent - FLT_MANT_DIG);
}

static void expect_ulps(struct checks *checks, const struct call *call, const double *exact, double limit)
{
    const float *got = call->io.output;
    bool ok = true;
    char name[CALL_ELEMENT];
    for (size_t i = 0; ok && i < call->shape.batch * call_out_elements(call); i++) {
        const double error = fabs(exact[i]) < LOST ? fabs((double)got[i] - exact[i]) / LOST : ulps(got[i], exact[i]);
        ok = checks_that(checks, error <= limit, "%s is %.9g, expected %.9g: %.3g units of the last place off",
                         call_element(call, CALL_OUTPUT, i, name), (double)got[i], exact[i], error);
    }
}

static void compare_ulps(struct checks *checks, const struct ga_model *model, weight_fill *fill, uint64_t seed,
                         double limit)
{
    struct subject subject;
    struct expected expected;
    struct call call;
    if (subject_make_seeded(&subject, checks, model, fill, seed, false) &&
        checks_need(checks, call_of_one_key(&call, model, seed), "no call of one key")) {
        if (checks_need(checks, expected_make(&expected, &subject, &call), "no memory for the generic kernel")) {
            for (size_t v = 0; v < subject.n_loaded && call_run(&call, checks, &subject, v); v++) {
                expect_ulps(checks, &call, expected.output, limit);
            }
            expected_drop(&expected);
        }
        call_drop(&call);
    }
    subject_drop(&subject);
}

// A key that the model adds, or a sink, would take weight from the one that is looked at, by how its score is rounded.
// Rows that meet weights in groups are rounded relative to the largest number of a group.
bool kernels_for_activated(const struct ga_model *model)
{
    return (model->activation[GA_V] != GA_ACTIVATION_NONE || model->activation[GA_O] != GA_ACTIVATION_NONE) &&
           model->kv_len.min == 1 && !kernels_share_weights(model) && kernels_multiply_floats(model) &&
           !kernels_keep_groups(model) &&
           (model->cache == 0 || model->cache_dtype == GA_F32); // which rounds what came out
}

void activations_are_within_a_few_ulp(struct checks *checks, const struct ga_model *model)
{
    for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
        compare_ulps(checks, model, weights_through, seed,
                     model->activation[GA_O] == GA_ACTIVATION_NONE ? ONE_ULP : BOTH_ULP);
        compare_ulps(checks, model, weights_of_bias, seed, ONE_ULP);
    }
}
