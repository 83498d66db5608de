// test_isas.c: which instruction sets a user is told of as better than the one taken, on CPUs that are made up here.
#include <criterion/criterion.h>
#include <string.h>

#include "isas.h"

static const struct ga_isa isas[] = {
    {"widest", GA_CPU_AVX512F | GA_CPU_AVX2, NULL},
    {"wide", GA_CPU_AVX2, "not in --isa"},
    {"plain", 0, NULL},
    {NULL, 0, NULL},
};

static const struct ga_variant widest = {.isa = "widest"}, wide = {.isa = "wide"}, plain = {.isa = "plain"},
                               refined = {.isa = "widestmore"};

enum { BOTH = GA_CPU_AVX512F | GA_CPU_AVX2 };

static const struct {
    const char *name;
    const struct ga_variant *taken;
    struct ga_cpu_found found;
    struct ga_unused expected[2];
} rows[] = {
    {"the best is taken", &widest, {BOTH, 0}, {{NULL, NULL}}},
    {"what refines the best is taken", &refined, {BOTH, 0}, {{NULL, NULL}}},
    {"an old CPU", &plain, {0, 0}, {{NULL, NULL}}},
    {"the best of this CPU is taken", &wide, {GA_CPU_AVX2, 0}, {{NULL, NULL}}},
    {"half of what a set needs", &plain, {GA_CPU_AVX512F, 0}, {{NULL, NULL}}},
    {"left out of the build", &plain, {GA_CPU_AVX2, 0}, {{"wide", "not in --isa"}}},
    {"left out of the model", &plain, {BOTH, 0}, {{"widest", "generated without"}, {"wide", "not in --isa"}}},
    {"not enabled", &wide, {GA_CPU_AVX2, GA_CPU_AVX512F}, {{"widest", "operating system"}}},
    {"nothing enabled", &plain, {0, BOTH}, {{"widest", "operating system"}, {"wide", "operating system"}}},
    {"nothing runs", NULL, {GA_CPU_AVX2, 0}, {{"wide", "not in --isa"}}},
};

Test(isas, what_is_better_and_not_taken_is_told_with_the_reason)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_unused unused[GA_MAX_ISAS];
        const size_t count = ga_isas_unused(isas, rows[i].found, rows[i].taken, unused);
        const size_t wanted = (rows[i].expected[0].isa != NULL) + (size_t)(rows[i].expected[1].isa != NULL);
        cr_assert_eq(count, wanted, "%s: %zu", rows[i].name, count);
        for (size_t u = 0; u < count; u++) {
            cr_expect_str_eq(unused[u].isa, rows[i].expected[u].isa, "%s", rows[i].name);
            cr_expect_not_null(strstr(unused[u].why, rows[i].expected[u].why), "%s: %s", rows[i].name, unused[u].why);
        }
    }
}

Test(isas, a_column_of_names_is_as_wide_as_the_longest)
{
    const struct ga_model few = {0}, model = {.n_variants = 2, .variants = (struct ga_variant[]){refined, plain}};
    const int width = ga_isa_width(&few);
    size_t longest = 0;
    for (size_t i = 0; ga_isas[i].name != NULL; i++) {
        cr_expect_geq((size_t)width, strlen(ga_isas[i].name));
        longest = strlen(ga_isas[i].name) == (size_t)width ? i + 1 : longest;
    }
    cr_expect_gt(longest, 0, "no set's name has %d characters", width);
    cr_expect_eq(ga_isa_width(&model), (int)strlen("widestmore"));
}

// configure wrote it, from generator/isa: best first, and one that runs anywhere is last.
Test(isas, those_of_the_build_end_with_one_that_runs_anywhere)
{
    size_t count = 0;
    while (ga_isas[count].name != NULL) {
        count++;
    }
    cr_assert_gt(count, 0);
    cr_assert_leq(count, GA_MAX_ISAS);
    cr_expect_eq(ga_isas[count - 1].cpu, 0, "%s", ga_isas[count - 1].name);
}
