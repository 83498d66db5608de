// panel_formats.c: floats, bf16 and integers of panels; groups are group_rounding.c's. Rounds by docs/numbers.md.
#include "panel_formats.h"

#include <math.h>
#include <string.h>

#include "bf16.h"
#include "f16.h"
#include "group_rounding.h"

// -- Floats ---------------------------------------------------------------------------------------------------------

static void put_f32(const struct ga_panel_format *format, const struct ga_panel_strip *strip)
{
    const size_t width = strip->width, stride = strip->col_stride, count = strip->count;
    const float factor = strip->factor;
    (void)format;
    for (size_t k = 0; k < strip->columns; k++) {
        const float *from = strip->from + k * strip->row_stride;
        float *to = (float *)(void *)strip->sum + strip->first + k;
        for (size_t i = 0; i < count; i++) {
            to[i * width] = factor * from[i * stride];
        }
    }
}

static void add_f32(const struct ga_panel_format *format, const struct ga_panel_strip *strip)
{
    (void)format;
    for (size_t k = 0; k < strip->columns; k++) {
        const float *from = strip->from + k * strip->row_stride;
        float *to = (float *)(void *)strip->sum + strip->first + k;
        for (size_t i = 0; i < strip->count; i++) {
            to[i * strip->width] += strip->factor * from[i * strip->col_stride];
        }
    }
}

// Where the number at depth i of column 0 lies in a running sum, in numbers; column j's lies j * unit after it.
static size_t place_of(struct ga_panel_format format, size_t width, size_t i)
{
    const size_t unit = format.unit, shift = unit / 2, in_unit = i & (unit - 1); // of 1, 2 or 4
    return (i >> shift) * width * unit + (format.upper_first ? 1 - in_unit : in_unit);
}

static void put_bf16(const struct ga_panel_format *format, const struct ga_panel_strip *strip)
{
    const float least = format->numbers == GA_PANEL_BF16_PRODUCT ? 0x1p-56F : 0.0F;
    const struct ga_panel_format as = *format;
    const size_t width = strip->width, stride = strip->col_stride, count = strip->count;
    const float factor = strip->factor;
    for (size_t k = 0; k < strip->columns; k++) {
        const float *from = strip->from + k * strip->row_stride;
        uint16_t *to = (uint16_t *)(void *)strip->sum + (strip->first + k) * as.unit;
        for (size_t i = 0; i < count; i++) {
            const float x = factor * from[i * stride];
            to[place_of(as, width, i)] = ga_bf16_of_float(fabsf(x) < least ? 0.0F : x);
        }
    }
}

static void put_f16(const struct ga_panel_format *format, const struct ga_panel_strip *strip)
{
    (void)format;
    for (size_t k = 0; k < strip->columns; k++) {
        const float *from = strip->from + k * strip->row_stride;
        uint16_t *to = (uint16_t *)(void *)strip->sum + strip->first + k;
        for (size_t i = 0; i < strip->count; i++) {
            to[i * strip->width] = ga_f16_of_float(strip->factor * from[i * strip->col_stride]);
        }
    }
}

// -- Integers -------------------------------------------------------------------------------------------------------

// The scale of a column's weights, NaN if one of them is infinite or NaN. i16: as small as their largest magnitude
// allows, and the sum of all, so that no sum of products leaves 32 bits.
static float scale_of(enum ga_panel_numbers numbers, const float *from, size_t stride, size_t count)
{
    double largest = 0.0, total = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs((double)from[i * stride]);
        largest = size > largest ? size : largest;
        total += size;
    }
    double scale = largest / 127.0;
    if (numbers == GA_PANEL_I16) {
        const double by_largest = largest / 32767.0, by_total = total / 262048.0;
        scale = by_largest > by_total ? by_largest : by_total;
    }
    return !isfinite(total) ? NAN : scale > 0x1p-126 ? (float)scale : 0x1p-126F;
}

static int32_t nearest(double x)
{
    return (int32_t)(x < 0.0 ? x - 0.5 : x + 0.5);
}

// Writes a column's header.
static void put_header(const struct ga_panel_format *format, const struct ga_panel_strip *strip, size_t column,
                       float scale, int32_t total)
{
    memcpy(strip->sum + column * sizeof scale, &scale, sizeof scale);
    if (format->has_totals) {
        memcpy(strip->sum + (strip->width + column) * sizeof total, &total, sizeof total);
    }
}

// Rounds the weights of a column to steps of its scale. Returns their sum.
static int32_t put_column(struct ga_panel_format format, const struct ga_panel_strip *strip, const float *from,
                          float scale, void *column)
{
    const size_t width = strip->width, stride = strip->col_stride, count = strip->count;
    int16_t *halves = column;
    int8_t *bytes = column;
    int32_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t number = nearest((double)from[i * stride] / (double)scale);
        const size_t at = place_of(format, width, i);
        if (format.numbers == GA_PANEL_I16) {
            halves[at] = (int16_t)number;
        } else {
            bytes[at] = (int8_t)number;
        }
        total += number;
    }
    return total;
}

static void put_integers(const struct ga_panel_format *format, const struct ga_panel_strip *strip)
{
    const size_t bytes = format->numbers == GA_PANEL_I16 ? 2 : 1;
    unsigned char *numbers = strip->sum + ga_panel_sum_bytes(format, 0) * strip->width;
    for (size_t k = 0; k < strip->columns; k++) {
        const float *from = strip->from + k * strip->row_stride;
        const size_t column = strip->first + k;
        const float scale = scale_of(format->numbers, from, strip->col_stride, strip->count);
        unsigned char *to = numbers + column * format->unit * bytes;
        const int32_t total = isfinite(scale) ? put_column(*format, strip, from, scale, to) : 0;
        put_header(format, strip, column, strip->factor * scale, total);
    }
}

static void put_groups(const struct ga_panel_format *format, const struct ga_panel_strip *strip)
{
    const enum ga_storage storage = format->numbers == GA_PANEL_INT8_G32 ? GA_STORAGE_INT8 : GA_STORAGE_INT4;
    for (size_t k = 0; k < strip->columns; k++) {
        ga_group_pack(storage, strip->from + k * strip->row_stride, strip->col_stride, strip->count, strip->sum,
                      strip->width, strip->first + k);
    }
}

// -- Numbers that are moved -----------------------------------------------------------------------------------------

static bool move_bf16(const struct ga_panel_format *format, const unsigned char *from,
                      const struct ga_panel_strip *strip)
{
    const uint16_t least = format->numbers == GA_PANEL_BF16_PRODUCT ? 0x2380 : 0; // 2^-56
    const struct ga_panel_format as = *format;
    uint16_t *to = (uint16_t *)(void *)strip->sum + strip->first * as.unit;
    for (size_t i = 0; i < strip->count; i++) {
        uint16_t bits;
        memcpy(&bits, from + i * strip->col_stride * sizeof bits, sizeof bits);
        const uint16_t size = bits & 0x7fff;
        to[place_of(as, strip->width, i)] = (uint16_t)(size < least ? 0 : size > 0x7f80 ? bits | 0x40 : bits);
    }
    return true;
}

static bool move_q8_0(const struct ga_panel_format *format, const unsigned char *from,
                      const struct ga_panel_strip *strip)
{
    (void)format;
    return strip->count == GA_GROUP && strip->col_stride == 1 &&
           ga_group_move_q8_0(from, strip->sum, strip->width, strip->first);
}

// -- All formats ----------------------------------------------------------------------------------------------------

static const struct {
    void (*put)(const struct ga_panel_format *format, const struct ga_panel_strip *strip);
    size_t bytes, header; // of a number, 0: groups; of a column beside its numbers
    bool (*move)(const struct ga_panel_format *format, const unsigned char *from, const struct ga_panel_strip *strip);
    enum ga_dtype moves; // what `move` takes, if there is one
} formats[] = {
    [GA_PANEL_F32] = {.put = put_f32, .bytes = 4},
    [GA_PANEL_F32_SUM] = {.put = add_f32, .bytes = 4},
    [GA_PANEL_BF16] = {.put = put_bf16, .bytes = 2, .move = move_bf16, .moves = GA_BF16},
    [GA_PANEL_F16] = {.put = put_f16, .bytes = 2},
    [GA_PANEL_BF16_PRODUCT] = {.put = put_bf16, .bytes = 2, .move = move_bf16, .moves = GA_BF16},
    [GA_PANEL_I16] = {.put = put_integers, .bytes = 2, .header = 4},
    [GA_PANEL_INT8] = {.put = put_integers, .bytes = 1, .header = 4},
    [GA_PANEL_INT8_G32] = {.put = put_groups, .header = 34, .move = move_q8_0, .moves = GA_Q8_0},
    [GA_PANEL_INT4_G32] = {.put = put_groups, .header = 18},
};

void ga_panel_put(const struct ga_panel_format *format, const struct ga_panel_strip *strip)
{
    formats[format->numbers].put(format, strip);
}

bool ga_panel_move(const struct ga_panel_format *format, enum ga_dtype dtype, const unsigned char *from,
                   const struct ga_panel_strip *strip)
{
    return formats[format->numbers].move != NULL && formats[format->numbers].moves == dtype && strip->factor == 1.0F &&
           formats[format->numbers].move(format, from, strip);
}

size_t ga_panel_sum_bytes(const struct ga_panel_format *format, size_t count)
{
    return formats[format->numbers].header + (format->has_totals ? 4 : 0) + count * formats[format->numbers].bytes;
}
