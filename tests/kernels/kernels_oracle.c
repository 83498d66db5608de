// kernels_oracle.c: facts that hold a model against the generic kernel within a tolerance: random numbers, and scores
// far beyond what exp() can take. Numbers whose result floats can hold exactly are kernels_exact.c's.
#include <stdio.h>

#include "kernels.h"
#include "support/approx.h"

// Multiply-adds a fact may ask of the generic kernel, for one model; about a second in each precision.
static const double ORACLE_BUDGET = 1e9;
static const double SMALL_ORACLE_BUDGET = 1.5e8;

void compare_with_generic(struct checks *checks, const struct subject *subject, struct call *call,
                          double magnitude_slack)
{
    struct expected expected;
    if (!checks_need(checks, expected_make(&expected, subject, call), "no memory for the generic kernel")) {
        return;
    }
    for (size_t v = 0; v < subject->n_loaded; v++) {
        if (call_run(call, checks, subject, v)) {
            expect_layer(checks, subject, call, &expected, magnitude_slack);
        }
    }
    expected_drop(&expected);
}

// -- Random numbers -------------------------------------------------------------------------------------------------

static void compare_random(struct checks *checks, const struct subject *subject, struct call *call)
{
    compare_with_generic(checks, subject, call, 0);
}

void matches_the_generic_kernel(struct checks *checks, const struct ga_model *model)
{
    struct shapes shapes = shapes_of(model, ORACLE_BUDGET * checks->effort);
    if (shapes.left_out > 0 && checks->seed == 0) {
        printf("%s: compared at %zu shapes, %zu left out for time\n", model->name, shapes.count, shapes.left_out);
        fflush(stdout);
    }
    kernels_each_call(checks, model, weights_random, ORACLE_BUDGET, compare_random);
}

// Query weights that spread the scores over about -1e4..1e4.
static void weights_far_apart(struct rng *rng, const struct ga_model *model, const struct ga_weight_role *role,
                              float *data)
{
    const float spread = 3000;
    weights_random(rng, model, role, data);
    for (size_t i = 0; role->name[0] == 'q' && i < role->shape[0] * (role->rank == 2 ? role->shape[1] : 1); i++) {
        data[i] *= spread;
    }
}

// A score of 1e4 is a sum that carries an error of some 1e4 * 10 eps = 0.01. Between two keys nearly as good as each
// other that moves a weight by up to a quarter of it, of either sign and in each of the layer's sums: a coarse limit,
// which an overflow, a NaN or a wrong maximum still breaks.
static void compare_far_apart(struct checks *checks, const struct subject *subject, struct call *call)
{
    const double coarse = 0.1;
    compare_with_generic(checks, subject, call, coarse);
}

// Where rows are rounded, scores so far apart are off by more than what separates keys: which is seen is chance.
// Weights so large are none of 4 bits, whose steps end at 240.
bool kernels_for_floats(const struct ga_model *model)
{
    return kernels_multiply_floats(model) && (model->cache == 0 || model->cache_dtype == GA_F32) &&
           model->weights_dtype != GA_STORAGE_INT4;
}

void random_large_scores_stay_finite(struct checks *checks, const struct ga_model *model)
{
    kernels_each_call(checks, model, weights_far_apart, SMALL_ORACLE_BUDGET, compare_far_apart);
}
