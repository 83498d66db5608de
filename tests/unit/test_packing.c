// test_packing.c: linears as panels beside a second, naive implementation in double precision, and the bytes of this
// packing revision. The tables are made up here; groups and other parts have files of their own.
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "checksum.h"
#include "pack_weights.h"
#include "rng.h"

// Two heads of six rows, each a panel of four columns and one of two, over 70 inputs.
enum { HEADS = 2, ROWS = 6, INPUTS = 70, COLUMNS = 4, LAST = 2, PANELS = 2, BYTES = 16384 };

static _Alignas(64) unsigned char block[BYTES];
static float weights[HEADS * ROWS * INPUTS], biases[HEADS * ROWS];
static struct ga_weight_view roles[2];

// Weights whose magnitudes differ much, the same on every machine. transposed: [inputs][rows] in memory.
static void make_weights(bool transposed)
{
    struct rng rng = rng_seeded(11);
    rng_fill_normal(&rng, weights, sizeof weights / sizeof *weights, 0.125F);
    rng_fill_normal(&rng, biases, HEADS * ROWS, 1.0F);
    for (size_t i = 0; i < sizeof weights / sizeof *weights; i++) {
        weights[i] *= (float)(1 << i % 5);
    }
    roles[0] = (struct ga_weight_view){
        .data = weights, .row_stride = transposed ? 1 : INPUTS, .col_stride = transposed ? HEADS * ROWS : 1};
    roles[1] = (struct ga_weight_view){.data = biases, .row_stride = 1, .col_stride = 1};
    memset(block, 0, sizeof block);
}

static double weight_at(size_t row, size_t input)
{
    return (double)roles[0].data[row * roles[0].row_stride + input * roles[0].col_stride];
}

// A linear of these sizes in a format; bytes: of a column of a panel.
static struct ga_packed_linear linear_of(struct ga_panel_format format, size_t column_bytes)
{
    const size_t head_bytes = ROWS * column_bytes;
    return (struct ga_packed_linear){.format = format,
                                     .weight = 0,
                                     .bias = 1,
                                     .factor = 0.75F,
                                     .panels_at = 64,
                                     .rows = ROWS,
                                     .heads = HEADS,
                                     .panels = PANELS,
                                     .columns = COLUMNS,
                                     .last_columns = LAST,
                                     .column_bytes = column_bytes,
                                     .together = 1,
                                     .head_bytes = head_bytes,
                                     .run_bytes = head_bytes + 64,
                                     .bias_at = BYTES - 256,
                                     .run_biases = ROWS + 2,
                                     .input_heads = 1,
                                     .inputs = INPUTS,
                                     .sums = {2, 1},
                                     .lengths = {32, INPUTS - 64}};
}

static void pack(const struct ga_packed_linear *linear)
{
    const struct ga_packed_parts parts = {.count = 1, .linears = linear, .n_linears = 1};
    ga_pack_weights(&parts, 1, roles, block);
}

// Where the panel of a row begins, and its column and the columns there.
static unsigned char *panel_of(const struct ga_packed_linear *linear, size_t row, size_t *j, size_t *width)
{
    const size_t head = row / ROWS, p = row % ROWS / COLUMNS;
    *j = row % ROWS % COLUMNS;
    *width = p == 0 ? COLUMNS : LAST;
    return block + linear->panels_at + head * linear->run_bytes + p * COLUMNS * linear->column_bytes;
}

static void expect_biases(const struct ga_packed_linear *linear)
{
    float got;
    for (size_t row = 0; row < HEADS * ROWS; row++) {
        memcpy(&got, block + linear->bias_at + (row / ROWS * linear->run_biases + row % ROWS) * sizeof got, sizeof got);
        cr_expect_eq(got, 0.75F * biases[row], "bias %zu", row);
    }
}

static size_t bytes_that_are_not_zero(void)
{
    size_t count = 0;
    for (size_t i = 0; i < sizeof block; i++) {
        count += block[i] != 0;
    }
    return count;
}

// -- Floats ---------------------------------------------------------------------------------------------------------

static float float_of_upper(const unsigned char *at)
{
    uint16_t upper;
    uint32_t bits;
    float number;
    memcpy(&upper, at, sizeof upper);
    bits = (uint32_t)upper << 16;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static double double_of_half(const unsigned char *at)
{
    const int bits = at[0] | at[1] << 8, exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double size = exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

static double number_of(enum ga_panel_numbers numbers, const unsigned char *at)
{
    float number = 0.0F;
    memcpy(&number, at, numbers == GA_PANEL_F32 ? sizeof number : 0);
    return numbers == GA_PANEL_F32   ? (double)number
           : numbers == GA_PANEL_F16 ? double_of_half(at)
                                     : (double)float_of_upper(at);
}

// Each weight at its place; what is left of the block once they are taken out is zeros.
static void check_floats(struct ga_panel_format format, bool transposed)
{
    const size_t bytes = format.numbers == GA_PANEL_F32 ? 4 : 2;
    const double most = format.numbers == GA_PANEL_F32   ? 0x1p-24
                        : format.numbers == GA_PANEL_F16 ? 0x1.01p-11
                                                         : 0x1.01p-8;
    const struct ga_packed_linear linear = linear_of(format, (INPUTS + 2) * bytes);
    make_weights(transposed);
    pack(&linear);
    expect_biases(&linear);
    for (size_t row = 0; row < HEADS * ROWS; row++) {
        size_t j, width;
        unsigned char *panel = panel_of(&linear, row, &j, &width);
        for (size_t i = 0; i < INPUTS; i++) {
            const size_t lane = format.upper_first ? 1 - i % 2 : i % format.unit;
            unsigned char *at = panel + ((i / format.unit * width + j) * format.unit + lane) * bytes;
            const double exact = 0.75 * weight_at(row, i);
            const double error = fmax(fabs(exact) * most, format.numbers == GA_PANEL_F16 ? 0x1p-25 : 0);
            cr_expect_float_eq(number_of(format.numbers, at), exact, error, "[%zu][%zu]", row, i);
            memset(at, 0, bytes);
        }
    }
    memset(block + linear.bias_at, 0, 256);
    cr_expect_eq(bytes_that_are_not_zero(), 0);
}

Test(packing, floats_and_bf16_lie_where_kernels_read_them)
{
    static const struct ga_panel_format formats[] = {
        {GA_PANEL_F32, 1, false, false},          {GA_PANEL_BF16, 1, false, false},
        {GA_PANEL_F16, 1, false, false},          {GA_PANEL_BF16_PRODUCT, 1, false, false},
        {GA_PANEL_BF16_PRODUCT, 2, false, false}, {GA_PANEL_BF16_PRODUCT, 2, true, false}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        check_floats(formats[i], false);
        check_floats(formats[i], true);
    }
}

Test(packing, zeros_lie_between_heads_of_inputs)
{
    enum { INNER = 10, PADDED = 16 };
    struct ga_packed_linear linear = linear_of((struct ga_panel_format){GA_PANEL_F32, 1, false, false}, 7 * PADDED * 4);
    linear.input_heads = INPUTS / INNER;
    linear.inputs = INNER;
    linear.sums[0] = linear.sums[1] = 1;
    linear.lengths[0] = 8;
    linear.lengths[1] = INNER - 8;
    size_t j, width;
    make_weights(false);
    pack(&linear);
    const unsigned char *panel = panel_of(&linear, HEADS * ROWS - 1, &j, &width);
    for (size_t depth = 0; depth < 7 * PADDED; depth++) {
        const size_t c = depth % PADDED;
        float got;
        memcpy(&got, panel + (depth * width + j) * sizeof got, sizeof got);
        cr_expect_eq(got, c < INNER ? 0.75F * (float)weight_at(HEADS * ROWS - 1, depth / PADDED * INNER + c) : 0.0F);
    }
}

// Three sums of the halves of a head's rows and inputs: b11 + b22, b12 - b21 + b11, b22 alone; and the biases of all
// rows.
Test(packing, sums_of_blocks_are_those_of_floats)
{
    enum { HALF_ROWS = ROWS / 2, HALF = INPUTS / 2, SUMS = 3 };
    static const struct ga_block_sum sums[SUMS] = {
        {2, {{0, 1.0F}, {3, 1.0F}}}, {3, {{1, 1.0F}, {2, -1.0F}, {0, 1.0F}}}, {1, {{3, 1.0F}}}};
    struct ga_packed_linear linear = linear_of((struct ga_panel_format){GA_PANEL_F32_SUM, 1, false, false}, 0);
    linear.rows = linear.columns = linear.last_columns = HALF_ROWS;
    linear.panels = 1;
    linear.blocks = sums;
    linear.parts = linear.own_parts = 2;
    linear.input_heads = SUMS;
    linear.inputs = HALF;
    linear.lengths[1] = HALF - 32;
    linear.sums[0] = linear.sums[1] = 1;
    linear.column_bytes = sizeof(float) * SUMS * HALF;
    linear.run_bytes = linear.column_bytes * HALF_ROWS;
    make_weights(true);
    pack(&linear);
    for (size_t i = 0; i < (size_t)HEADS * SUMS * HALF * HALF_ROWS; i++) {
        const size_t row = i % HALF_ROWS, k = i / HALF_ROWS % HALF, head = i / HALF_ROWS / HALF / SUMS * ROWS;
        const struct ga_block_sum *sum = &sums[i / HALF_ROWS / HALF % SUMS];
        float got, expected = 0;
        for (size_t t = 0; t < sum->count; t++) {
            const size_t at = sum->terms[t].block;
            expected +=
                sum->terms[t].sign * 0.75F * (float)weight_at(head + at % 2 * HALF_ROWS + row, at / 2 * HALF + k);
        }
        memcpy(&got, block + linear.panels_at + i * sizeof got, sizeof got);
        cr_expect_eq(got, expected, "number %zu is %.9g, expected %.9g", i, (double)got, (double)expected);
    }
    expect_biases(&linear);
}

Test(packing, small_factors_of_bf16_products_are_zero)
{
    struct ga_packed_linear linear =
        linear_of((struct ga_panel_format){GA_PANEL_BF16_PRODUCT, 1, false, false}, 2 * INPUTS);
    make_weights(false);
    linear.factor = 1.0F;
    weights[0] = 0x1p-56F;
    weights[1] = -0x1.fffffep-57F;
    weights[2] = NAN;
    pack(&linear);
    size_t j, width;
    const unsigned char *panel = panel_of(&linear, 0, &j, &width);
    cr_expect_eq(float_of_upper(panel), 0x1p-56F);
    cr_expect_eq(float_of_upper(panel + COLUMNS * 2), 0.0F);
    cr_expect(isnan(float_of_upper(panel + COLUMNS * 4)));
}

// -- Integers -------------------------------------------------------------------------------------------------------

// A running sum of a column of a panel, and the format of its numbers.
struct place {
    struct ga_panel_format format;
    const unsigned char *sum;
    size_t j, width;
};

static int number_at(const struct place *place, size_t i)
{
    const struct ga_panel_format *format = &place->format;
    const unsigned char *numbers = place->sum + (format->has_totals ? 8 : 4) * place->width;
    const size_t at = (i / format->unit * place->width + place->j) * format->unit + i % format->unit;
    int16_t half;
    memcpy(&half, numbers + 2 * (format->numbers == GA_PANEL_I16 ? at : 0), sizeof half);
    return format->numbers == GA_PANEL_I16 ? half : (int8_t)numbers[at];
}

// A row's running sum of `count` weights from input `from` on.
static void check_sum(const struct place *place, size_t row, size_t from, size_t count)
{
    double largest = 0, all = 0, scale;
    float got;
    int32_t total = 0, kept;
    for (size_t i = from; i < from + count; i++) {
        largest = fmax(largest, fabs(weight_at(row, i)));
        all += fabs(weight_at(row, i));
    }
    scale = place->format.numbers == GA_PANEL_I16 ? fmax(largest / 32767, all / 262048) : largest / 127;
    memcpy(&got, place->sum + place->j * sizeof got, sizeof got);
    cr_expect_float_eq((double)got, 0.75 * scale, scale * 0x1p-23);
    for (size_t i = 0; i < count; i++) {
        const double steps = weight_at(row, from + i) / (double)(float)scale;
        const int number = number_at(place, i);
        cr_expect_float_eq((double)number, steps, 0.5, "row %zu, input %zu", row, from + i);
        total += number;
    }
    memcpy(&kept, place->sum + (place->width + place->j) * sizeof kept, sizeof kept);
    cr_expect(!place->format.has_totals || kept == total);
}

static void check_integers(struct ga_panel_format format, bool transposed)
{
    const size_t bytes = format.numbers == GA_PANEL_I16 ? 2 : 1, header = format.has_totals ? 8 : 4;
    // Three running sums; the last one has two numbers more than there are weights.
    struct ga_packed_linear linear = linear_of(format, 3 * header + (INPUTS + 2) * bytes);
    linear.lengths[1] += 2;
    make_weights(transposed);
    pack(&linear);
    expect_biases(&linear);
    for (size_t row = 0; row < HEADS * ROWS; row++) {
        struct place place = {.format = format};
        place.sum = panel_of(&linear, row, &place.j, &place.width);
        for (size_t from = 0; from < INPUTS; from += 32, place.sum += (header + 32 * bytes) * place.width) {
            check_sum(&place, row, from, from < 64 ? 32 : INPUTS - 64);
        }
    }
}

Test(packing, integers_have_a_scale_for_each_running_sum)
{
    static const struct ga_panel_format formats[] = {{GA_PANEL_I16, 1, false, false},
                                                     {GA_PANEL_I16, 2, false, false},
                                                     {GA_PANEL_INT8, 1, false, false},
                                                     {GA_PANEL_INT8, 2, false, false},
                                                     {GA_PANEL_INT8, 4, false, true}};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        check_integers(formats[i], false);
        check_integers(formats[i], true);
    }
}

Test(packing, integers_of_what_is_not_finite_have_a_scale_that_is_not)
{
    const struct ga_packed_linear linear =
        linear_of((struct ga_panel_format){GA_PANEL_INT8, 1, false, false}, 3 * 4 + INPUTS);
    float scale;
    make_weights(false);
    weights[40] = INFINITY;
    pack(&linear);
    memcpy(&scale, block + linear.panels_at + (4 + 32) * COLUMNS, sizeof scale);
    cr_expect(isnan(scale));
    memcpy(&scale, block + linear.panels_at, sizeof scale);
    cr_expect(isfinite(scale));
}

// -- Whole linears --------------------------------------------------------------------------------------------------

// Formats with the bytes of a column of three running sums.
static const struct {
    struct ga_panel_format format;
    size_t column_bytes;
} all_formats[] = {
    {{GA_PANEL_F32, 1, false, false}, 4 * INPUTS},         {{GA_PANEL_BF16, 1, false, false}, 2 * INPUTS},
    {{GA_PANEL_BF16_PRODUCT, 2, true, false}, 2 * INPUTS}, {{GA_PANEL_I16, 2, false, false}, 12 + 2 * INPUTS},
    {{GA_PANEL_INT8, 2, false, true}, 24 + INPUTS},        {{GA_PANEL_INT8_G32, 1, false, false}, 3 * 34},
    {{GA_PANEL_INT4_G32, 1, false, false}, 3 * 18},
};
enum { FORMATS = sizeof all_formats / sizeof *all_formats };

static struct ga_packed_linear linear_in(size_t format)
{
    struct ga_packed_linear linear = linear_of(all_formats[format].format, all_formats[format].column_bytes);
    linear.factor = all_formats[format].format.numbers < GA_PANEL_INT8_G32 ? linear.factor : 1.0F;
    return linear;
}

// A linear in two parts, the second one from column 3 on, has the bytes of the whole.
Test(packing, columns_of_several_linears_lie_side_by_side)
{
    enum { FIRST = 3 };
    static unsigned char whole[BYTES];
    for (size_t i = 0; i < FORMATS; i++) {
        struct ga_packed_linear linear = linear_in(i);
        make_weights(false);
        linear.heads = 1;
        pack(&linear);
        memcpy(whole, block, sizeof whole);
        make_weights(false);
        linear.rows = FIRST;
        pack(&linear);
        linear.first = FIRST;
        roles[0].data += FIRST * INPUTS;
        roles[1].data += FIRST;
        pack(&linear);
        cr_expect_arr_eq(block, whole, sizeof whole, "format %zu", i);
    }
}

// Of what packs equal weights by equal tables. Where this changes, GA_PACKING_REVISION must too: it tells files of
// packed weights of one build from those of another.
Test(packing, bytes_are_those_of_this_revision)
{
    static const uint64_t expected[FORMATS] = {
        0xe254d90a03590add, 0xb9f3c7eb1c359099, 0xfac7949fa2c12c77, 0x4f91a290c4a6da13,
        0xe56d728aaf52cffa, 0x4b939919c5f7d097, 0xa424b125a11df411,
    };
    cr_expect_eq(GA_PACKING_REVISION, 1);
    for (size_t i = 0; i < FORMATS; i++) {
        const struct ga_packed_linear linear = linear_in(i);
        make_weights(false);
        pack(&linear);
        const uint64_t sum = ga_checksum(block, sizeof block);
        cr_expect_eq(sum, expected[i], "format %zu has 0x%016llx", i, (unsigned long long)sum);
    }
}
