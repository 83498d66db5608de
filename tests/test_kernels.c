// test_kernels.c: the facts of kernels.h under Criterion, one test for each fact and model. Checks nothing itself.
#include <criterion/criterion.h>
#include <criterion/parameterized.h>

#include "kernels.h"

typedef bool kernel_filter(const struct ga_model *model);

// The models a fact is about, as indices: pointers do not survive the way to a test's own process.
static struct criterion_test_params models_for(kernel_filter *is_about)
{
    size_t *indices = cr_calloc(n_ga_test_models + 1, sizeof *indices);
    size_t count = 0;
    for (size_t m = 0; m < n_ga_test_models; m++) {
        if (is_about(ga_test_models[m])) {
            indices[count++] = m;
        }
    }
    return cr_make_param_array(size_t, indices, count, NULL);
}

static void check(kernel_fact *fact, const char *name, size_t m)
{
    static struct checks checks; // outlives the test, for the fault handler
    checks = checks_new(name, 1);
    checks_name_faults(&checks);
    kernels_check(&checks, fact, ga_test_models[m]);
    cr_assert(checks.failed == 0, "%s: %zu of %zu checks failed:%s", name, checks.failed, checks.done, checks.messages);
}

// clang-format off
#define KERNEL_TEST(fact, who)                                                                      \
    ParameterizedTestParameters(kernels, fact) { return models_for(kernels_for_##who); }            \
    ParameterizedTest(size_t *m, kernels, fact) { check(fact, #fact, *m); }
// clang-format on
KERNEL_FACTS(KERNEL_TEST)

Test(kernels, there_are_models_to_test)
{
    kernels_name_skipped();
    cr_assert(n_ga_test_models > 0);
}
