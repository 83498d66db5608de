// test_floats.c: tensors of other floating-point types as floats: every half of both kinds, and doubles around each way
// a rounding can go.
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weights.h"

enum { N_HALVES = 65536, N_DOUBLES = 200000 };

// A file of one tensor "a" of `count` elements, of a type so wide.
static struct ga_weights *weights_of(const char *dtype, size_t width, const void *elements, size_t count)
{
    char header[128];
    struct ga_weights *weights = NULL;
    struct ga_error error = {.text = ""};
    const int length =
        snprintf(header, sizeof header, "{\"a\":{\"dtype\":\"%s\",\"shape\":[%zu],\"data_offsets\":[0,%zu]}}", dtype,
                 count, count * width);
    const size_t size = 8 + (size_t)length + count * width;
    unsigned char *bytes = calloc(1, size);
    cr_assert_not_null(bytes);
    bytes[0] = (unsigned char)length;
    memcpy(bytes + 8, header, (size_t)length);
    memcpy(bytes + 8 + length, elements, count * width);
    cr_assert_eq(ga_weights_parse(bytes, size, "w", &weights, &error), GA_OK, "%s", error.text);
    free(bytes);
    return weights;
}

static const float *floats_of(struct ga_weights *weights)
{
    const float *floats = NULL;
    struct ga_error error = {.text = ""};
    cr_assert_eq(ga_weights_floats(weights, ga_weights_at(weights, 0), &floats, &error), GA_OK, "%s", error.text);
    return floats;
}

// What `bits` stand for, by the definition of the format: a sign, an exponent of so many bits, a fraction.
static double value_of(unsigned bits, int exponent_bits, int fraction_bits)
{
    const int most = (1 << exponent_bits) - 1;
    const int bias = most / 2 + fraction_bits;
    const int exponent = (int)(bits >> fraction_bits) & most;
    const double fraction = bits & ((1u << fraction_bits) - 1);
    const double one = 1u << fraction_bits;
    const double size = exponent == most ? (fraction == 0.0 ? INFINITY : NAN)
                        : exponent == 0  ? ldexp(fraction, 1 - bias)
                                         : ldexp(one + fraction, exponent - bias);
    return bits >> (exponent_bits + fraction_bits) != 0 ? -size : size;
}

// Asks Criterion only of what is wrong: its checks take longer than all else here.
static void expect_float(const char *dtype, size_t i, float found, double expected)
{
    const int same = isnan(expected) ? isnan(found) : (double)found == expected;
    if (!same || !signbit(found) != !signbit(expected)) {
        cr_expect(0, "%s, element %zu: %a, expected %a", dtype, i, (double)found, expected);
    }
}

static void expect_every_half(const char *dtype, int exponent_bits, int fraction_bits)
{
    static uint16_t halves[N_HALVES];
    for (unsigned i = 0; i < N_HALVES; i++) {
        halves[i] = (uint16_t)i;
    }
    struct ga_weights *weights = weights_of(dtype, 2, halves, N_HALVES);
    const float *floats = floats_of(weights);
    for (unsigned i = 0; i < N_HALVES; i++) {
        expect_float(dtype, i, floats[i], value_of(i, exponent_bits, fraction_bits));
    }
    cr_expect_eq(floats, floats_of(weights), "%s: converted a second time", dtype);
    ga_weights_close(weights);
}

Test(floats, every_f16_is_exact)
{
    expect_every_half("F16", 5, 10);
}

Test(floats, every_bf16_is_exact)
{
    expect_every_half("BF16", 8, 7);
}

// The float nearest to a number, ties to even, by counting steps of a float's last place; all of it exact in double.
static double nearest(double number)
{
    int exponent = 0;
    const double size = fabs(number);
    (void)frexp(size, &exponent);
    const double step = ldexp(1.0, exponent - 24 < -149 ? -149 : exponent - 24);
    const double steps = floor(size / step);
    const double rest = size / step - steps;
    const double up = rest > 0.5 || (rest == 0.5 && fmod(steps, 2.0) == 1.0) ? 1.0 : 0.0;
    const double rounded = (steps + up) * step;
    return copysign(rounded >= 0x1p128 ? INFINITY : rounded, number);
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

// Any float's exponent and some beyond; now and then exactly between two floats, or one bit beside.
static double some_double(uint64_t *state)
{
    const uint64_t bits = next_random(state);
    const uint64_t exponent = 1023 - 155 + next_random(state) % 290;
    const uint64_t tie = (bits & 0x000FFFFFE0000000u) | 0x10000000u;
    const uint64_t ends[] = {bits & 0x000FFFFFFFFFFFFFu, tie, tie + 1, tie - 1};
    const uint64_t whole = (bits & 0x8000000000000000u) | exponent << 52 | ends[next_random(state) % 4];
    double number;
    memcpy(&number, &whole, sizeof number);
    return number;
}

// Both zeros, the smallest floats and half of them, the largest and what is just too large.
static const double edges[] = {
    0.0,
    -0.0,
    0x1p-149,
    0x1p-150,
    0x1.8p-150,
    0x1.8p-149,
    0x1.000001p-150,
    0x1p-151,
    0x1p-126,
    0x1.fffffcp-127,
    0x1.ffffffp-127,
    0x1.fffffep127,
    0x1.ffffffp127,
    -0x1.ffffffp127,
    0x1.fffffefffffffp127,
    0x1p128,
    -0x1p1023,
    1.0 + 0x1p-24,
    1.0 + 0x1.8p-23,
    INFINITY,
    -INFINITY,
};
enum { N_EDGES = sizeof edges / sizeof *edges };

Test(floats, doubles_round_to_the_nearest)
{
    static double doubles[N_DOUBLES];
    uint64_t state = 20261121;
    for (size_t i = 0; i < N_DOUBLES; i++) {
        doubles[i] = i < N_EDGES ? edges[i] : some_double(&state);
    }
    struct ga_weights *weights = weights_of("F64", 8, doubles, N_DOUBLES);
    const float *floats = floats_of(weights);
    size_t ties = 0;
    for (size_t i = 0; i < N_DOUBLES; i++) {
        const double expected = isinf(doubles[i]) ? doubles[i] : nearest(doubles[i]);
        ties += expected != doubles[i];
        expect_float("F64", i, floats[i], expected);
    }
    cr_expect_gt(ties, N_DOUBLES / 2, "only %zu needed rounding", ties);
    ga_weights_close(weights);
}

Test(floats, a_nan_stays_one)
{
    static const double nans[] = {NAN, -NAN};
    struct ga_weights *weights = weights_of("F64", 8, nans, 2);
    cr_expect(isnan(floats_of(weights)[0]) && isnan(floats_of(weights)[1]));
    ga_weights_close(weights);
}

Test(floats, floats_stay_where_they_are)
{
    static const float numbers[] = {1.0f, 2.0f};
    struct ga_weights *weights = weights_of("F32", 4, numbers, 2);
    cr_expect_eq((const void *)floats_of(weights), ga_weights_at(weights, 0)->data);
    ga_weights_close(weights);
}

Test(floats, what_is_no_floating_point_type_is_refused)
{
    static const int32_t numbers[] = {1, 2};
    const float *floats = NULL;
    struct ga_error error;
    struct ga_weights *weights = weights_of("I32", 4, numbers, 2);
    cr_expect_eq(ga_weights_floats(weights, ga_weights_at(weights, 0), &floats, &error), GA_DTYPE);
    cr_expect_eq(error.fault, GA_FAULT_TENSOR_DTYPE);
    cr_expect_str_eq(error.text, "w: tensor 'a' is I32; expected F64, F32, F16, BF16 or blocks of them");
    ga_weights_close(weights);
}
