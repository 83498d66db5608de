// test_packing_stored.c: weights as files store them pack to the bytes of their floats, in every format, from any
// address and by any strides. What the floats of a type are is the business of test_floats.c and test_gguf.c.
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bf16.h"
#include "f16.h"
#include "group_rounding.h"
#include "pack_weights.h"
#include "rng.h"
#include "stored_floats.h"

// Rows of whole blocks, and more of them than are read at a time.
enum { ROWS = 6, INPUTS = 768, COUNT = ROWS * INPUTS, COLUMNS = 4, LAST = 2, BYTES = 65536 };

static const enum ga_dtype types[] = {GA_F32,  GA_F16,  GA_BF16, GA_F64,  GA_Q8_0, GA_Q4_0, GA_Q4_1,  GA_Q4_K,
                                      GA_Q6_K, GA_Q5_0, GA_Q5_1, GA_Q2_K, GA_Q3_K, GA_Q5_K, GA_IQ4_NL};
enum { TYPES = sizeof types / sizeof *types };

static unsigned char stored[1 + COUNT * sizeof(double)];
static float floats[COUNT];

// One number as an element of a type that is not a block.
static void put_element(enum ga_dtype dtype, float number, unsigned char *at)
{
    const double wide = (double)number * (1 + 0x1p-30);
    const uint16_t half = ga_f16_of_float(number), upper = ga_bf16_of_float(number);
    const void *const from = dtype == GA_F32   ? (const void *)&number
                             : dtype == GA_F64 ? (const void *)&wide
                             : dtype == GA_F16 ? (const void *)&half
                                               : (const void *)&upper;
    memcpy(at, from, ga_dtype_size(dtype));
}

// Elements of a type at an odd address, and their floats. Blocks have any bytes, but none that make a half infinite.
static void make_elements(enum ga_dtype dtype, struct ga_weight_view *as_floats, struct ga_weight_view *as_stored)
{
    struct rng rng = rng_seeded((uint64_t)dtype + 1);
    size_t bytes = 0;
    const size_t blocks = COUNT / ga_dtype_block(dtype, &bytes);
    unsigned char *at = stored + 1;
    for (size_t i = 0; i < blocks * bytes; i++) {
        at[i] = (unsigned char)(rng_bits(&rng) & 0xbf);
    }
    for (size_t i = 0; i < COUNT && blocks == COUNT; i++) {
        put_element(dtype, rng_normal(&rng), at + i * bytes);
    }
    ga_float_reader_of(dtype)(at, COUNT, floats);
    *as_floats = (struct ga_weight_view){.data = floats};
    *as_stored = (struct ga_weight_view){.stored = at, .dtype = dtype};
}

// -- Two packs ------------------------------------------------------------------------------------------------------

static _Alignas(64) unsigned char packed[2][BYTES];

// Packs the parts from floats and as stored, and compares. Role 0 is a matrix with these strides, role 1 a vector of
// the same elements.
static void expect_same(const char *what, const struct ga_packed_parts *parts, size_t row_stride, size_t col_stride)
{
    for (size_t t = 0; t < TYPES; t++) {
        struct ga_weight_view views[2][2];
        make_elements(types[t], &views[0][0], &views[1][0]);
        for (size_t i = 0; i < 2; i++) {
            views[i][1] = views[i][0];
            views[i][1].row_stride = 1;
            views[i][0].row_stride = row_stride;
            views[i][0].col_stride = col_stride;
            memset(packed[i], 0, BYTES);
            ga_pack_weights(parts, 1, views[i], packed[i]);
        }
        cr_expect_arr_eq(packed[0], packed[1], BYTES, "%s of %s, strides %zu, %zu", what, ga_dtype_name(types[t]),
                         row_stride, col_stride);
        size_t set = 0;
        for (size_t i = 0; i < BYTES; i++) {
            set += packed[0][i] != 0;
        }
        cr_expect_gt(set, (size_t)ROWS, "%s of %s: nothing is packed", what, ga_dtype_name(types[t]));
    }
}

// -- Linears --------------------------------------------------------------------------------------------------------

// Formats with the length of a running sum, of which there are INPUTS / length, and the bytes of its column.
static const struct {
    struct ga_panel_format format;
    size_t length, bytes;
} formats[] = {
    {{GA_PANEL_F32, 1, false, false}, INPUTS, 4 * INPUTS},
    {{GA_PANEL_F32, 1, false, false}, 96, 4 * 96},
    {{GA_PANEL_F32_SUM, 1, false, false}, INPUTS, 4 * INPUTS},
    {{GA_PANEL_BF16, 1, false, false}, INPUTS, 2 * INPUTS},
    {{GA_PANEL_F16, 1, false, false}, INPUTS, 2 * INPUTS},
    {{GA_PANEL_BF16_PRODUCT, 2, true, false}, INPUTS, 2 * INPUTS},
    {{GA_PANEL_I16, 2, false, false}, 192, 4 + 2 * 192},
    {{GA_PANEL_INT8, 4, false, true}, 256, 8 + 256},
    {{GA_PANEL_INT8_G32, 1, false, false}, 32, 34},
    {{GA_PANEL_INT4_G32, 1, false, false}, 32, 18},
};

static void check_linear(size_t i, float factor, size_t row_stride, size_t col_stride)
{
    const struct ga_packed_linear linear = {.format = formats[i].format,
                                            .weight = 0,
                                            .bias = 1,
                                            .factor = factor,
                                            .bias_at = BYTES / 2,
                                            .rows = ROWS,
                                            .heads = 1,
                                            .panels = 2,
                                            .columns = COLUMNS,
                                            .last_columns = LAST,
                                            .column_bytes = INPUTS / formats[i].length * formats[i].bytes,
                                            .together = 1,
                                            .input_heads = 1,
                                            .inputs = INPUTS,
                                            .sums = {INPUTS / formats[i].length, 0},
                                            .lengths = {formats[i].length, 0}};
    const struct ga_packed_parts parts = {.count = 1, .linears = &linear, .n_linears = 1};
    char what[32];
    snprintf(what, sizeof what, "linear %zu", i);
    expect_same(what, &parts, row_stride, col_stride);
}

Test(packing_stored, linears_are_those_of_their_floats)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const float factor = formats[i].length == 32 ? 1.0F : 0.75F; // groups have none
        check_linear(i, factor, INPUTS, 1);
        check_linear(i, factor, 1, ROWS);
        check_linear(i, 1.0F, INPUTS, 1);
    }
}

// Blocks of Q8_0 in groups, whatever their numbers: those that are moved are those that the search for a scale finds.
Test(packing_stored, blocks_of_q8_0_are_the_groups_of_their_floats)
{
    static const uint16_t scales[] = {0x0000, 0x0001, 0x03ff, 0x0400, 0x1e66, 0x2c01, 0x7bff, 0x7c00, 0x7e00, 0xa400};
    static const int largest[] = {127, -127, -128, 126, 64, 1, 0};
    struct rng rng = rng_seeded(3);
    size_t moved = 0;
    for (size_t round = 0; round < 2000; round++) {
        const size_t most = (size_t)abs(largest[round % 7]);
        unsigned char block[1 + 34], groups[2][34] = {{0}};
        float weights[GA_GROUP];
        memcpy(block + 1, &scales[round / 7 % 10], 2);
        for (size_t i = 0; i < GA_GROUP; i++) {
            block[3 + i] = (unsigned char)(rng_below(&rng, 2 * most + 1) - most);
        }
        block[3 + rng_below(&rng, GA_GROUP)] = (unsigned char)largest[round % 7];
        ga_float_reader_of(GA_Q8_0)(block + 1, GA_GROUP, weights);
        ga_group_pack(GA_STORAGE_INT8, weights, 1, GA_GROUP, groups[0], 1, 0);
        if (ga_group_move_q8_0(block + 1, groups[1], 1, 0)) {
            moved++;
            cr_expect_arr_eq(groups[0], groups[1], 34, "round %zu", round);
        } else {
            cr_expect(groups[1][2] == 0 && groups[1][33] == 0, "round %zu: packed", round);
        }
    }
    cr_expect_gt(moved, 200u);
}

// -- Other parts ----------------------------------------------------------------------------------------------------

Test(packing_stored, copies_and_rows_are_those_of_their_floats)
{
    const struct ga_packed_copy copies[] = {{0, 0, false, ROWS, INPUTS, INPUTS, 0.5F, 1.0F},
                                            {1, ROWS * INPUTS * sizeof(float), true, ROWS, 100, 128, 1.0F, 0.0F}};
    const struct ga_packed_rows bf16 = {.rows = ROWS, .columns = INPUTS, .dtype = GA_BF16};
    const struct ga_packed_rows int8 = {.scales_at = BYTES / 2, .rows = ROWS, .columns = INPUTS, .dtype = GA_I8};
    for (size_t transposed = 0; transposed < 2; transposed++) {
        const size_t row = transposed ? 1 : INPUTS, column = transposed ? ROWS : 1;
        expect_same("copies", &(struct ga_packed_parts){.count = 1, .copies = copies, .n_copies = 2}, row, column);
        expect_same("bf16 rows", &(struct ga_packed_parts){.count = 1, .rows = &bf16, .n_rows = 1}, row, column);
        expect_same("int8 rows", &(struct ga_packed_parts){.count = 1, .rows = &int8, .n_rows = 1}, row, column);
    }
}

Test(packing_stored, buckets_are_those_of_their_floats)
{
    static const uint32_t starts[ROWS] = {0, 1, 2, 4, 8, 16};
    const struct ga_packed_buckets buckets = {
        .heads = 8, .span = 60, .own = 59, .starts = starts, .side = ROWS, .factor = 2.0F};
    expect_same("buckets", &(struct ga_packed_parts){.count = 1, .buckets = &buckets, .n_buckets = 1}, INPUTS, 1);
}

// A table of ROWS rows through a norm and a linear of as many outputs.
Test(packing_stored, products_of_tables_are_those_of_their_floats)
{
    const struct ga_packed_table_product product = {.norm_weight = 1,
                                                    .norm_bias = 1,
                                                    .eps = 1e-5,
                                                    .bias = 1,
                                                    .factor = 1.0F,
                                                    .rows = ROWS,
                                                    .columns = INPUTS,
                                                    .heads = 1,
                                                    .width = ROWS,
                                                    .together = ROWS,
                                                    .row_stride = ROWS,
                                                    .column_stride = 1};
    const struct ga_packed_parts parts = {.count = 1, .table_products = &product, .n_table_products = 1};
    expect_same("product", &parts, INPUTS, 1);
}
