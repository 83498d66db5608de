// panel_formats.c: floats, bf16 and integers of panels; groups are group_rounding.c's. Rounds by docs/numbers.md.
#include "panel_formats.h"

#include <math.h>
#include <string.h>

#include "bf16.h"
#include "group_rounding.h"

static void put_f32(const struct ga_panel_format *format, const struct ga_panel_column *column)
{
    float *to = (float *)(void *)column->sum + column->j;
    (void)format;
    for (size_t i = 0; i < column->count; i++) {
        to[i * column->width] = column->factor * column->weights[i];
    }
}

// Where the number at depth i lies in a running sum, in numbers.
static size_t place_of(const struct ga_panel_format *format, const struct ga_panel_column *column, size_t i)
{
    const size_t unit = format->unit, shift = unit / 2, in_unit = i & (unit - 1); // of 1, 2 or 4
    return ((i >> shift) * column->width + column->j) * unit + (format->upper_first ? 1 - in_unit : in_unit);
}

static void put_bf16(const struct ga_panel_format *format, const struct ga_panel_column *column)
{
    const float least = format->numbers == GA_PANEL_BF16_PRODUCT ? 0x1p-56F : 0.0F;
    uint16_t *to = (uint16_t *)(void *)column->sum;
    for (size_t i = 0; i < column->count; i++) {
        const float x = column->factor * column->weights[i];
        to[place_of(format, column, i)] = ga_bf16_of_float(fabsf(x) < least ? 0.0F : x);
    }
}

// What one step is worth of a column's weights, NaN if one of them is infinite or NaN. i16: as small as their largest
// magnitude allows, and the sum of all, so that no sum of products leaves 32 bits.
static float scale_of(enum ga_panel_numbers numbers, const struct ga_panel_column *column)
{
    double largest = 0.0, total = 0.0;
    for (size_t i = 0; i < column->count; i++) {
        const double size = fabs((double)column->weights[i]);
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

// Writes the header of a column. The numbers after it begin where this returns.
static unsigned char *put_header(const struct ga_panel_format *format, const struct ga_panel_column *column,
                                 float scale, int32_t total)
{
    scale *= column->factor;
    memcpy(column->sum + column->j * sizeof scale, &scale, sizeof scale);
    if (format->has_totals) {
        memcpy(column->sum + (column->width + column->j) * sizeof total, &total, sizeof total);
    }
    return column->sum + (format->has_totals ? 8 : 4) * column->width;
}

static void put_integers(const struct ga_panel_format *format, const struct ga_panel_column *column)
{
    const float scale = scale_of(format->numbers, column);
    int32_t numbers[GA_LONGEST_SUM], total = 0;
    for (size_t i = 0; i < column->count; i++) {
        numbers[i] = isfinite(scale) ? nearest((double)column->weights[i] / (double)scale) : 0;
        total += numbers[i];
    }
    unsigned char *to = put_header(format, column, scale, total);
    for (size_t i = 0; i < column->count; i++) {
        const size_t at = place_of(format, column, i);
        if (format->numbers == GA_PANEL_I16) {
            ((int16_t *)(void *)to)[at] = (int16_t)numbers[i];
        } else {
            ((int8_t *)to)[at] = (int8_t)numbers[i];
        }
    }
}

static void put_group(const struct ga_panel_format *format, const struct ga_panel_column *column)
{
    const enum ga_storage storage = format->numbers == GA_PANEL_INT8_GROUPS ? GA_STORAGE_INT8 : GA_STORAGE_INT4;
    ga_group_pack(storage, column->weights, column->count, column->sum, column->width, column->j);
}

static const struct {
    ga_panel_put put;
    size_t bytes;  // of a number; 0: groups
    size_t header; // bytes of a column's scale
} formats[] = {
    [GA_PANEL_F32] = {put_f32, 4, 0},
    [GA_PANEL_BF16] = {put_bf16, 2, 0},
    [GA_PANEL_BF16_PRODUCT] = {put_bf16, 2, 0},
    [GA_PANEL_I16] = {put_integers, 2, 4},
    [GA_PANEL_INT8] = {put_integers, 1, 4},
    [GA_PANEL_INT8_GROUPS] = {put_group, 0, 34},
    [GA_PANEL_INT4_GROUPS] = {put_group, 0, 18},
};

ga_panel_put ga_panel_put_of(enum ga_panel_numbers numbers)
{
    return formats[numbers].put;
}

size_t ga_panel_sum_bytes(const struct ga_panel_format *format, size_t count)
{
    return formats[format->numbers].header + (format->has_totals ? 4 : 0) + count * formats[format->numbers].bytes;
}
