// test_packing_groups.c: weights in groups beside a naive search in double precision, and weights that are numbers of a
// group already. How groups lie in a linear is test_packing.c's.
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "group_rounding.h"
#include "rng.h"

enum { WIDTH = 3, COLUMN = 1 };

// What docs/numbers.md says of a type: numbers from 0 to most over a zero, scales of few bits.
struct type {
    enum ga_storage storage;
    int bits, most, steps, first, last;
    double zero, unit; // zero of all groups, 0: each has its own; scales are halves of this times them
    size_t scale_bytes, header;
};
static const struct type types[] = {{GA_STORAGE_INT8, 8, 255, 254, 0, 1, 128, 1, 2, 2},
                                    {GA_STORAGE_INT4, 4, 15, 15, -2, 9, 0, 256, 1, 2}};

// A half that is not below 0; one byte of it: the upper one, without the sign.
static double scale_of(const struct type *type, const unsigned char *at)
{
    const unsigned bits = type->scale_bytes == 2 ? at[0] | (unsigned)at[1] << 8 : (unsigned)at[0] << 7;
    const int exponent = (int)(bits >> 10);
    const double fraction = (double)(bits & 0x3ff);
    const double half = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return exponent == 31 ? (double)NAN : half / type->unit;
}

// A packed group of column COLUMN as the weights that it stands for.
static void unpack(const struct type *type, const unsigned char *group, size_t count, double *to)
{
    const double scale = scale_of(type, group + COLUMN * type->scale_bytes);
    const double zero = type->zero > 0 ? type->zero : group[WIDTH * type->scale_bytes + COLUMN] / 16.0;
    const size_t unit = 32 / (size_t)type->bits;
    for (size_t i = 0; i < count; i++) {
        uint32_t word;
        memcpy(&word, group + WIDTH * type->header + (i / unit * WIDTH + COLUMN) * 4, sizeof word);
        const uint32_t place = (uint32_t)(i % 4 * 8 + i % unit / 4 * (size_t)type->bits);
        to[i] = scale * ((double)(word >> place & (uint32_t)type->most) - zero);
    }
}

static double error_of(const double *x, const float *weights, size_t count)
{
    double error = 0;
    for (size_t i = 0; i < count; i++) {
        error += (x[i] - (double)weights[i]) * (x[i] - (double)weights[i]);
    }
    return error;
}

// The scale next to x: of all that there are.
static double nearest_scale(const struct type *type, double x)
{
    double best = 0;
    for (unsigned bits = 0; bits < (type->scale_bytes == 2 ? 0x7c00U : 0xf8U); bits++) {
        const unsigned char at[] = {(unsigned char)bits, (unsigned char)(bits >> 8)};
        const double scale = scale_of(type, at);
        best = fabs(scale - x) < fabs(best - x) ? scale : best;
    }
    return best;
}

// The least error of the scales that are tried, before any is refined.
static double least_error(const struct type *type, const float *weights, size_t count)
{
    double low = (double)weights[0], high = low, least = INFINITY, x[GA_GROUP];
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, (double)weights[i]);
        high = fmax(high, (double)weights[i]);
    }
    high = type->zero > 0 ? fmax(high, -low) : high;
    low = type->zero > 0 ? -high : low;
    for (int try = type->first; try <= type->last; try++) {
        const double cut = (high - low) * 0.02 * try, scale = nearest_scale(type, (high - low - 2 * cut) / type->steps);
        double zero = type->zero > 0 ? type->zero : -(low + cut) / scale;
        zero = type->zero > 0 ? zero : fmin(floor(fmin(fmax(zero, 0), type->most) * 16 + 0.5), 255) / 16;
        for (size_t i = 0; i < count; i++) {
            const double number = fmin(fmax((double)weights[i] / scale + zero, 0), type->most);
            x[i] = scale * (floor(number + 0.5) - zero);
        }
        least = fmin(least, error_of(x, weights, count));
    }
    return least;
}

// Weights on both sides of zero. Errors are sums of 32 floats: 2^-18 of them is far more than rounding makes.
Test(packing_groups, are_as_near_as_the_best_of_all_tries)
{
    struct rng rng = rng_seeded(3);
    for (size_t t = 0; t < 2; t++) {
        for (size_t round = 0; round < 40; round++) {
            const size_t count = 1 + rng_below(&rng, GA_GROUP);
            unsigned char group[WIDTH * 34] = {0};
            float weights[GA_GROUP] = {-0.4F, 0.3F};
            double x[GA_GROUP];
            rng_fill_normal(&rng, weights, count, 0.1F);
            weights[0] = -fabsf(weights[0]);
            weights[count - 1] = count > 1 ? fabsf(weights[count - 1]) : weights[0];
            ga_group_pack(types[t].storage, weights, 1, count, group, WIDTH, COLUMN);
            unpack(&types[t], group, count, x);
            const double found = error_of(x, weights, count), most = least_error(&types[t], weights, count);
            cr_expect_leq(found, most * (1 + 0x1p-18) + 0x1p-60, "type %zu, round %zu: %g, %g", t, round, found, most);
        }
    }
}

// Every scale times whole numbers, as blocks of GGUF have them; strided, and a last group that is short.
Test(packing_groups, weights_that_are_numbers_already_stay_to_the_bit)
{
    struct rng rng = rng_seeded(5);
    for (size_t t = 0; t < 2; t++) {
        for (size_t round = 0; round < 200; round++) {
            const size_t count = 2 + rng_below(&rng, GA_GROUP - 1), stride = 1 + round % 3;
            const double scale = nearest_scale(&types[t], 0.001 + (double)rng_below(&rng, 1000) * 1e-4);
            const double zero = types[t].zero > 0 ? types[t].zero : (double)rng_below(&rng, 241) / 16;
            unsigned char group[WIDTH * 34] = {0};
            float weights[GA_GROUP * 3] = {0}, dense[GA_GROUP];
            double x[GA_GROUP];
            // All of them are within `span` steps of int8's zero or above int4's least number, and reach that far.
            const size_t span = 1 + rng_below(&rng, t == 0 ? 127 : 15), least = t == 0 ? 128 - span : 0;
            for (size_t i = 0; i < count; i++) {
                const size_t steps = i == 0 ? (t + 1) % 2 * span + span : i == 1 ? 0 : rng_below(&rng, span + 1);
                dense[i] = weights[i * stride] = (float)(scale * ((double)(least + steps) - zero));
            }
            ga_group_pack(types[t].storage, weights, stride, count, group, WIDTH, COLUMN);
            unpack(&types[t], group, count, x);
            for (size_t i = 0; i < count; i++) {
                cr_assert_eq(x[i], (double)dense[i], "type %zu, round %zu, weight %zu", t, round, i);
            }
        }
    }
}

Test(packing_groups, what_no_scale_reaches_is_nan)
{
    const float beyond[] = {1.0F, 3e38F}, infinite[] = {1.0F, -INFINITY}, no_number[] = {NAN, 1.0F};
    const float *const groups[] = {beyond, infinite, no_number};
    for (size_t i = 0; i < 6; i++) {
        unsigned char group[WIDTH * 34] = {0};
        ga_group_pack(types[i % 2].storage, groups[i / 2], 1, 2, group, WIDTH, COLUMN);
        cr_expect(isnan(scale_of(&types[i % 2], group + COLUMN * types[i % 2].scale_bytes)), "%zu", i);
    }
}

// Where one weight counts for much more than all others, it has the least error.
Test(packing_groups, importance_decides_where_errors_are)
{
    struct rng rng = rng_seeded(9);
    float weights[GA_GROUP], importance[GA_GROUP];
    double alike = 0, chosen = 0;
    for (size_t round = 0; round < 50; round++) {
        const size_t heavy = rng_below(&rng, GA_GROUP);
        struct ga_group group;
        rng_fill_normal(&rng, weights, GA_GROUP, 1.0F);
        for (size_t i = 0; i < GA_GROUP; i++) {
            importance[i] = i == heavy ? 1000.0F : 1.0F;
        }
        ga_group_choose(GA_STORAGE_INT4, weights, NULL, GA_GROUP, &group);
        alike += fabs((double)(ga_group_nearest(GA_STORAGE_INT4, &group, weights[heavy]) - weights[heavy]));
        ga_group_choose(GA_STORAGE_INT4, weights, importance, GA_GROUP, &group);
        chosen += fabs((double)(ga_group_nearest(GA_STORAGE_INT4, &group, weights[heavy]) - weights[heavy]));
    }
    cr_expect_lt(chosen, 0.5 * alike, "%g of %g", chosen, alike);
}
