// test_packing_tables.c: copies, tables of angles and of buckets, and parts that occur once a layer.
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "pack_weights.h"
#include "rng.h"
#include "rotary_scaling.h"

enum { FLOATS = 4096 };

static _Alignas(64) float block[FLOATS];

static void pack(const struct ga_packed_parts *parts, const struct ga_weight_view *roles)
{
    memset(block, 0, sizeof block);
    ga_pack_weights(parts, 1, roles, block);
}

Test(packing_tables, matrices_and_vectors_keep_their_numbers)
{
    enum { ROWS = 3, COLUMNS = 5, STRIDE = 8 };
    float numbers[2 * ROWS * COLUMNS];
    struct rng rng = rng_seeded(1);
    rng_fill_normal(&rng, numbers, 2 * ROWS * COLUMNS, 1.0F);
    const struct ga_weight_view roles[] = {{.data = numbers, .row_stride = 1, .col_stride = ROWS},
                                           {.data = numbers, .row_stride = 2}}; // transposed; every second one
    const struct ga_packed_copy copies[] = {{0, 64, false, ROWS, COLUMNS, COLUMNS, 1.0F, 0.0F},
                                            {1, 256, true, ROWS, COLUMNS, STRIDE, 0.5F, 1.0F}};
    pack(&(struct ga_packed_parts){.count = 1, .copies = copies, .n_copies = 2}, roles);
    for (size_t r = 0; r < ROWS; r++) {
        for (size_t c = 0; c < STRIDE; c++) {
            const size_t inside = c < COLUMNS;
            cr_expect(!inside || block[16 + r * COLUMNS + c] == numbers[r + c * ROWS]);
            cr_expect_eq(block[64 + r * STRIDE + c], inside ? 1.0F + 0.5F * numbers[(r * COLUMNS + c) * 2] : 0.0F);
        }
    }
}

// Beside the C library's: floats of sines of at most 99 are within an error of the last place of each other.
static void check_angles(enum ga_angles layout, size_t width)
{
    enum { PLACES = 40 };
    const struct ga_packed_angles angles = {.layout = layout, .places = PLACES, .width = width, .theta = 500};
    pack(&(struct ga_packed_parts){.count = 1, .angles = &angles, .n_angles = 1}, NULL);
    for (size_t place = 0; place < PLACES; place++) {
        for (size_t i = 0; i < width; i++) {
            const size_t pair = layout == GA_ROTARY_HALF_SPLIT ? i % (width / 2) : i / 2;
            const size_t second = layout == GA_ROTARY_HALF_SPLIT ? i / (width / 2) : i % 2;
            const double angle = (double)place * pow(500, -2.0 * (double)pair / (double)width);
            const double wanted = (second == 1) == (layout == GA_SINUSOIDS) ? cos(angle) : sin(angle);
            cr_expect_float_eq((double)block[place * width + i], wanted, 0x1p-24, "%d: [%zu][%zu]", layout, place, i);
        }
    }
    cr_expect_eq(block[PLACES * width], 0.0F);
}

// The angle of each pair from a place to the next, and what cosines are multiplied by, of 5 pairs of theta 500 under a
// scaling. wanted: what transformers 4.57.6 computes (modeling_rope_utils.py), in double precision.
static void check_scaling(struct ga_rope_scaling scaling, const double *wanted, double factor)
{
    const struct ga_packed_angles angles = {
        .layout = GA_ROTARY_HALF_SPLIT, .places = 1, .width = 10, .theta = 500, .scaling = scaling};
    for (size_t pair = 0; pair < 5; pair++) {
        const double speed = ga_rotary_speed(&angles, pair);
        cr_expect(fabs(speed / wanted[pair] - 1.0) < 1e-14, "%d: pair %zu: %.17g, not %.17g", scaling.kind, pair, speed,
                  wanted[pair]);
    }
    cr_expect(fabs(ga_rotary_factor(&angles) / factor - 1.0) < 1e-15, "%d: %.17g", scaling.kind,
              ga_rotary_factor(&angles));
}

Test(packing_tables, scaled_angles_are_those_of_transformers)
{
    static const double divisors[] = {1, 1.25, 2, 4.5, 8};
    check_scaling(
        (struct ga_rope_scaling){GA_ROPE_LINEAR, .factor = 4},
        (double[]){0.25, 0.072134995295360674, 0.020813830185046827, 0.0060056221699071573, 0.0017328621078878655}, 1);
    check_scaling(
        (struct ga_rope_scaling){GA_ROPE_DYNAMIC, .factor = 4, .original = 100, .longest = 250},
        (double[]){1, 0.17739096208313171, 0.031467553428779077, 0.0055820595771334733, 0.00099020691879306592}, 1);
    check_scaling(
        (struct ga_rope_scaling){GA_ROPE_LONGROPE, .factor = 4, .original = 100, .divisors = divisors},
        (double[]){1, 0.23083198494515414, 0.041627660370093654, 0.0053383308176952514, 0.00086643105394393273},
        1.1406270186454384);
    check_scaling(
        (struct ga_rope_scaling){GA_ROPE_LLAMA3, .factor = 8, .original = 100, .slow = 1, .fast = 4},
        (double[]){1, 0.2885399811814427, 0.018300029729451543, 0.0030028110849535787, 0.00086643105394393273}, 1);
}

Test(packing_tables, yarn_is_that_of_transformers)
{
    check_scaling(
        (struct ga_rope_scaling){GA_ROPE_YARN, .factor = 4, .original = 100, .slow = 1, .fast = 8, .truncate = true},
        (double[]){1, 0.21640498588608204, 0.041627660370093661, 0.0060056221699071573, 0.0017328621078878655},
        1.1386294361119891);
    check_scaling(
        (struct ga_rope_scaling){GA_ROPE_YARN, .factor = 40, .original = 1000, .slow = 2, .fast = 16, .attention = 1.5},
        (double[]){1, 0.2885399811814427, 0.0758948588206554, 0.00789897178953149, 0.00017328621078878655}, 1.5);
}

// Where theta is near 1 all pairs turn alike: here all are slow, whose places lie far beyond the last pair.
Test(packing_tables, yarn_takes_a_theta_near_1)
{
    const struct ga_packed_angles angles = {
        .layout = GA_ROTARY_HALF_SPLIT,
        .places = 1,
        .width = 10,
        .theta = 1.0 + 0x1p-40,
        .scaling = {GA_ROPE_YARN, .factor = 4, .original = 4096, .slow = 1, .fast = 32, .truncate = true}};
    for (size_t pair = 0; pair < 5; pair++) {
        const double speed = ga_rotary_speed(&angles, pair);
        cr_expect(fabs(speed - 0.25) < 0x1p-38, "pair %zu: %.17g", pair, speed);
    }
}

// Cosines and sines of the first place are the factor and 0; the table of an angle is that of its speed.
Test(packing_tables, tables_have_scaled_angles)
{
    const struct ga_packed_angles angles = {.layout = GA_ROTARY_INTERLEAVED,
                                            .places = 2,
                                            .width = 4,
                                            .theta = 500,
                                            .scaling = {GA_ROPE_LINEAR, .factor = 4, .attention = 1.5}};
    pack(&(struct ga_packed_parts){.count = 1, .angles = &angles, .n_angles = 1}, NULL);
    cr_expect(block[0] == 1.5F && block[1] == 0.0F && block[2] == 1.5F && block[3] == 0.0F);
    cr_expect_float_eq((double)block[4], 1.5 * cos(0.25), 0x1p-24);
    cr_expect_float_eq((double)block[7], 1.5 * sin(0.25 / sqrt(500.0)), 0x1p-24);
}

Test(packing_tables, angles_are_those_of_their_places)
{
    check_angles(GA_SINUSOIDS, 10);
    check_angles(GA_SINUSOIDS, 9);
    check_angles(GA_ROTARY_INTERLEAVED, 10);
    check_angles(GA_ROTARY_HALF_SPLIT, 10);
}

// The bucket of a key `later` places after the query, by T5's rule from the starts of buckets.
static size_t bucket_of(const uint32_t *starts, size_t side, bool has_later, int later)
{
    size_t bucket = 0;
    const int distance = later > 0 ? (has_later ? later : 0) : -later;
    for (size_t i = 0; i < side; i++) {
        bucket = (int)starts[i] <= distance ? i : bucket;
    }
    return bucket + (later > 0 && has_later ? side : 0);
}

Test(packing_tables, buckets_are_looked_up_by_distance)
{
    enum { SIDE = 4, HEADS = 2, SPAN = 30, OWN = 12 };
    static const uint32_t starts[SIDE] = {0, 1, 4, 4};
    float numbers[2 * SIDE * HEADS];
    struct rng rng = rng_seeded(2);
    rng_fill_normal(&rng, numbers, 2 * SIDE * HEADS, 1.0F);
    const struct ga_weight_view role = {.data = numbers, .row_stride = HEADS, .col_stride = 1};
    for (size_t has_later = 0; has_later < 2; has_later++) {
        const struct ga_packed_buckets buckets = {.heads = HEADS,
                                                  .span = SPAN,
                                                  .own = OWN,
                                                  .starts = starts,
                                                  .side = SIDE,
                                                  .has_later = has_later == 1,
                                                  .factor = 2.0F};
        pack(&(struct ga_packed_parts){.count = 1, .buckets = &buckets, .n_buckets = 1}, &role);
        for (size_t head = 0; head < HEADS; head++) {
            for (int at = 0; at < SPAN; at++) {
                const size_t bucket = bucket_of(starts, SIDE, has_later == 1, at - OWN);
                cr_expect_eq(block[head * SPAN + (size_t)at], 2.0F * numbers[bucket * HEADS + head], "%d", at);
            }
        }
    }
}

// Two roles and a table of angles in each of three layers, which begin at role 1 and byte 128.
Test(packing_tables, parts_of_layers_have_their_own_roles_and_places)
{
    enum { LAYERS = 3, LAYER = 32 };
    float numbers[1 + 2 * LAYERS];
    struct ga_weight_view roles[1 + 2 * LAYERS];
    for (size_t i = 0; i < 1 + 2 * LAYERS; i++) {
        numbers[i] = (float)i + 1;
        roles[i] = (struct ga_weight_view){.data = &numbers[i], .row_stride = 1, .col_stride = 1};
    }
    const struct ga_packed_copy copies[] = {{0, 0, true, 1, 1, 1, 1.0F, 0.0F}, {1, 4, true, 1, 1, 1, 1.0F, 0.0F}};
    const struct ga_packed_angles angles = {.layout = GA_SINUSOIDS, .at = 64, .places = 1, .width = 2, .theta = 2};
    pack(&(struct ga_packed_parts){.count = LAYERS,
                                   .first_role = 1,
                                   .n_roles = 2,
                                   .at = 128,
                                   .bytes = 4 * LAYER,
                                   .copies = copies,
                                   .n_copies = 2,
                                   .angles = &angles,
                                   .n_angles = 1},
         roles);
    for (size_t layer = 0; layer < LAYERS; layer++) {
        const float *from = block + 32 + layer * LAYER;
        cr_expect_eq(from[0], (float)(2 * layer) + 2);
        cr_expect_eq(from[1], (float)(2 * layer) + 3);
        cr_expect_eq(from[16], 0.0F);
        cr_expect_eq(from[17], 1.0F);
    }
}
