// test_mixture.c: which dtypes linears get by figures that are made up here, and that the sums are those of the choice.
#include <criterion/criterion.h>

#include "mixture.h"

static const double CLOSE = 1e-12;

// Error and time of one linear by dtype; what is no choice would be the best of all.
#define FIGURES(...)                                                    \
    {                                                                   \
        [GA_ARITHMETIC_F32] = {0, 1}, [GA_ARITHMETIC_I16] = __VA_ARGS__ \
    }

// q, k and up; the dtypes of all but bytes of up cost an error and save time, bytes more of both.
static const struct ga_linear_figures figures = {
    .is_there = {[GA_LINEAR_Q] = true, [GA_LINEAR_K] = true, [GA_LINEAR_UP] = true},
    .is_choice = {[GA_ARITHMETIC_F32] = true, [GA_ARITHMETIC_I16] = true, [GA_ARITHMETIC_INT8] = true},
    .of = {[GA_LINEAR_Q] = FIGURES({1e-6, 0.95}, {1e-3, 0.9}),
           [GA_LINEAR_K] = FIGURES({2e-6, 1.0}, {5e-4, 0.97}),
           [GA_LINEAR_V] = FIGURES({0, 0}, {0, 0}),
           [GA_LINEAR_UP] = FIGURES({4e-6, 0.8}, {8e-3, 0.7})},
};

static void expect(const struct ga_mixture *mixture, enum ga_arithmetic q, enum ga_arithmetic k, enum ga_arithmetic up)
{
    cr_expect_eq(mixture->of[GA_LINEAR_Q], q);
    cr_expect_eq(mixture->of[GA_LINEAR_K], k);
    cr_expect_eq(mixture->of[GA_LINEAR_UP], up);
    cr_expect_eq(mixture->of[GA_LINEAR_V], GA_ARITHMETIC_F32, "v is not there");
    const struct ga_measured sum = {
        figures.of[GA_LINEAR_Q][q].error + figures.of[GA_LINEAR_K][k].error + figures.of[GA_LINEAR_UP][up].error,
        figures.of[GA_LINEAR_Q][q].time + figures.of[GA_LINEAR_K][k].time + figures.of[GA_LINEAR_UP][up].time - 2};
    cr_expect_float_eq(mixture->sum.error, sum.error, CLOSE);
    cr_expect_float_eq(mixture->sum.time, sum.time, CLOSE);
}

Test(mixture, steps_that_save_time_are_made_within_the_limit)
{
    static const struct {
        double limit;
        enum ga_arithmetic q, k, up;
    } rows[] = {
        {0, GA_ARITHMETIC_F32, GA_ARITHMETIC_F32, GA_ARITHMETIC_F32},
        {3e-6, GA_ARITHMETIC_I16, GA_ARITHMETIC_F32, GA_ARITHMETIC_F32}, // pairs of up are too many
        {1e-5, GA_ARITHMETIC_I16, GA_ARITHMETIC_F32, GA_ARITHMETIC_I16}, // pairs of k save nothing
        {6e-4, GA_ARITHMETIC_I16, GA_ARITHMETIC_INT8, GA_ARITHMETIC_I16},
        {1, GA_ARITHMETIC_INT8, GA_ARITHMETIC_INT8, GA_ARITHMETIC_INT8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ga_mixture mixture = ga_mixture_of(&figures, GA_ARITHMETIC_F32);
        ga_mixture_advance(&figures, rows[i].limit, &mixture);
        expect(&mixture, rows[i].q, rows[i].k, rows[i].up);
    }
}

Test(mixture, retreats_take_what_costs_least_time_and_no_more_error_than_needed)
{
    struct ga_mixture mixture = ga_mixture_of(&figures, GA_ARITHMETIC_INT8);
    enum ga_linear linear;
    enum ga_arithmetic from;
    expect(&mixture, GA_ARITHMETIC_INT8, GA_ARITHMETIC_INT8, GA_ARITHMETIC_INT8);
    cr_assert(ga_mixture_retreat(&figures, 7e-3, &mixture, &linear, &from)); // 8e-3 for a tenth of the time
    cr_expect_eq(linear, GA_LINEAR_UP);
    cr_expect_eq(from, GA_ARITHMETIC_INT8);
    expect(&mixture, GA_ARITHMETIC_INT8, GA_ARITHMETIC_INT8, GA_ARITHMETIC_I16);
    cr_assert(ga_mixture_retreat(&figures, 4e-4, &mixture, &linear, &from)); // f32 of k takes as long as pairs
    expect(&mixture, GA_ARITHMETIC_INT8, GA_ARITHMETIC_I16, GA_ARITHMETIC_I16);
    while (ga_mixture_retreat(&figures, 1, &mixture, &linear, &from)) {
    }
    expect(&mixture, GA_ARITHMETIC_F32, GA_ARITHMETIC_F32, GA_ARITHMETIC_F32);
}

Test(mixture, names_are_those_of_specs)
{
    cr_expect_str_eq(ga_linear_name(GA_LINEAR_DOWN), "down");
    cr_expect_str_eq(ga_arithmetic_name(GA_ARITHMETIC_INT8), "int8");
}
