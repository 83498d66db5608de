// test_rounding.c: what rounding by samples does to weights that are made up here: the sums of rows, the error that is
// left of outputs, and that what comes out are numbers of groups. Loads no model.
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "feedback.h"
#include "row_sums.h"

enum { WIDTH = 75, ROWS = 200, COLUMNS = 24, STRIDE = WIDTH + 5 };

static const struct ga_weight_role roles[] = {
    {"a_weight", 2, {COLUMNS, WIDTH}}, {"b_weight", 2, {COLUMNS, WIDTH}}, {"c_weight", 2, {COLUMNS, WIDTH}}};
static const struct ga_model model = {.roles = roles, .n_roles = 3};
static const size_t both[] = {0, 2}, last[] = {1};

static float rows[ROWS * STRIDE], weights[COLUMNS * WIDTH];

static float next_random(uint32_t *state)
{
    *state = *state * 1664525U + 1013904223U;
    return (float)(*state >> 8) * 0x1p-23F - 1.0F;
}

// Rows whose numbers depend on each other, as those of models do; the numbers after each row are to be left alone.
static void make_all(void)
{
    uint32_t state = 7;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rows[i] = i % STRIDE >= WIDTH ? NAN : next_random(&state) + (i % STRIDE > 0 ? 0.9F * rows[i - 1] : 0.5F);
    }
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        weights[i] = next_random(&state) * next_random(&state);
    }
}

static double sum_of(size_t i, size_t j)
{
    double sum = 0;
    for (size_t row = 0; row < ROWS; row++) {
        sum += (double)rows[row * STRIDE + i] * (double)rows[row * STRIDE + j];
    }
    return sum;
}

// The sums of all rows, shown in two parts whose lengths are no multiples of what is added up together.
static void sum_all(struct ga_row_sums *sums)
{
    const size_t first = 67;
    make_all();
    cr_assert(ga_row_sums_new(&model, sums));
    sums->watch.show(sums->watch.self, both, 2, rows, STRIDE, first);
    sums->watch.show(sums->watch.self, both, 2, rows + first * STRIDE, STRIDE, ROWS - first);
}

Test(rounding, sums_are_those_of_all_rows_and_shared_by_weights)
{
    struct ga_row_sums sums;
    sum_all(&sums);
    cr_expect_eq(sums.of[0], sums.of[2]);
    cr_expect_null(sums.of[1]);
    sums.watch.show(sums.watch.self, last, 1, rows, STRIDE, 1);
    cr_assert_not_null(sums.of[1]);
    cr_expect_neq(sums.of[0], sums.of[1]);
    for (size_t i = 0; i < WIDTH; i++) {
        for (size_t j = 0; j <= i; j++) {
            const double wanted = sum_of(i, j), got = (double)sums.of[0][i * ga_row_sums_stride(WIDTH) + j];
            cr_assert_float_eq(got, wanted, 1e-5 * sqrt(sum_of(i, i) * sum_of(j, j)), "[%zu][%zu]", i, j);
        }
    }
    cr_expect_not(sums.is_short);
    ga_row_sums_free(&sums);
}

// The mean square of what a column gives all rows.
static double error_of(const float *rounded, const float *exact)
{
    double error = 0;
    for (size_t row = 0; row < ROWS; row++) {
        double left = 0;
        for (size_t i = 0; i < WIDTH; i++) {
            left += ((double)rounded[i] - (double)exact[i]) * (double)rows[row * STRIDE + i];
        }
        error += left * left;
    }
    return error / (double)ROWS;
}

static void round_nearest(enum ga_storage storage, const float *from, float *to)
{
    for (size_t at = 0; at < WIDTH; at += GA_GROUP) {
        const size_t count = WIDTH - at < GA_GROUP ? WIDTH - at : GA_GROUP;
        struct ga_group group;
        ga_group_choose(storage, from + at, NULL, count, &group);
        for (size_t i = at; i < at + count; i++) {
            to[i] = ga_group_nearest(storage, &group, from[i]);
        }
    }
}

// Whether all weights of a group are whole numbers of one of its steps, as many as the type has.
static bool is_of_groups(enum ga_storage storage, const float *x)
{
    bool is_one = true;
    for (size_t at = 0; at < WIDTH; at += GA_GROUP) {
        const size_t end = at + GA_GROUP < WIDTH ? at + GA_GROUP : WIDTH;
        size_t different = 0;
        for (size_t i = at; i < end; i++) {
            size_t j = at;
            while (j < i && x[j] != x[i]) {
                j++;
            }
            different += j == i;
        }
        is_one = is_one && (storage == GA_STORAGE_INT8 || different <= 16);
    }
    return is_one;
}

static void compare(enum ga_storage storage, double at_most)
{
    struct ga_row_sums sums;
    double nearest = 0, fed_back = 0;
    bool is_finite;
    sum_all(&sums);
    struct ga_feedback *feedback = ga_feedback_new(sums.of[0], WIDTH, &is_finite);
    cr_assert_not_null(feedback);
    for (size_t column = 0; column < COLUMNS; column++) {
        const float *exact = weights + column * WIDTH;
        float rounded[WIDTH];
        round_nearest(storage, exact, rounded);
        nearest += error_of(rounded, exact);
        cr_assert(ga_feedback_round(feedback, storage, exact, rounded));
        fed_back += error_of(rounded, exact);
        cr_expect(is_of_groups(storage, rounded), "column %zu", column);
    }
    cr_expect_lt(fed_back, at_most * nearest, "%g of %g", fed_back, nearest);
    ga_feedback_free(feedback);
    ga_row_sums_free(&sums);
}

Test(rounding, outputs_are_nearer_than_with_the_nearest_numbers)
{
    compare(GA_STORAGE_INT4, 0.6);
    compare(GA_STORAGE_INT8, 0.6);
}

// Errors go on to nothing where rows have nothing to do with each other: each weight gets its nearest number.
Test(rounding, unrelated_rows_give_the_nearest_numbers)
{
    float unrelated[WIDTH * (WIDTH / 8 + 1) * 8] = {0}, nearest[WIDTH], rounded[WIDTH];
    bool is_finite;
    make_all();
    for (size_t i = 0; i < WIDTH; i++) {
        unrelated[i * ga_row_sums_stride(WIDTH) + i] = 3.0F;
    }
    struct ga_feedback *feedback = ga_feedback_new(unrelated, WIDTH, &is_finite);
    cr_assert_not_null(feedback);
    cr_assert(ga_feedback_round(feedback, GA_STORAGE_INT4, weights, rounded));
    round_nearest(GA_STORAGE_INT4, weights, nearest);
    for (size_t i = 0; i < WIDTH; i++) {
        cr_expect_eq(rounded[i], nearest[i], "weight %zu", i);
    }
    ga_feedback_free(feedback);
}

Test(rounding, what_is_no_number_is_told_or_left_alone)
{
    float rounded[WIDTH];
    struct ga_row_sums sums;
    bool is_finite;
    sum_all(&sums);
    struct ga_feedback *feedback = ga_feedback_new(sums.of[0], WIDTH, &is_finite);
    cr_assert_not_null(feedback);
    weights[3] = INFINITY;
    cr_assert(ga_feedback_round(feedback, GA_STORAGE_INT4, weights, rounded));
    for (size_t i = 0; i < WIDTH; i++) {
        cr_expect_eq(rounded[i], weights[i], "weight %zu", i);
    }
    ga_feedback_free(feedback);
    sums.of[0][5 * ga_row_sums_stride(WIDTH) + 2] = NAN;
    cr_expect_null(ga_feedback_new(sums.of[0], WIDTH, &is_finite));
    cr_expect_not(is_finite);
    ga_row_sums_free(&sums);
}

// All alike are some number less a zero of a step, a zero being told to a sixteenth. A step is at most 1.25 / 15 of
// them, as the widest try is 1.08 of the range and the next scale of 4 bits at most 1/16 away.
Test(rounding, equal_weights_stay)
{
    static const float some[] = {0.1F, -0.1F, 3e-4F, -700.3F};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        const float alike[] = {some[i], some[i], some[i]}, importance[] = {1, 2, 3};
        struct ga_group group;
        ga_group_choose(GA_STORAGE_INT4, alike, importance, 3, &group);
        cr_expect_float_eq(ga_group_nearest(GA_STORAGE_INT4, &group, some[i]), some[i],
                           1.25F / 15 / 32 * fabsf(some[i]));
    }
}
