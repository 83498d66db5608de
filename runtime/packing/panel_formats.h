// panel_formats.h: a running sum's weights of some columns as each number format of panels keeps them. Knows no linear.
#ifndef GA_PANEL_FORMATS_H
#define GA_PANEL_FORMATS_H

#include "packed_parts.h"

enum { GA_LONGEST_SUM = 256 }; // weights of a running sum

// The weight of column `first` + k at depth i is from[k * row_stride + i * col_stride] times `factor`.
struct ga_panel_strip {
    unsigned char *sum; // where the running sum begins in its panel
    size_t width;       // columns of the panel
    size_t first, columns;
    const float *from;
    size_t row_stride, col_stride;
    size_t count; // weights of a column: 1 .. GA_LONGEST_SUM, of groups up to GA_GROUP
    float factor;
};

// Packs a strip; the panel holds zeros there.
void ga_panel_put(const struct ga_panel_format *format, const struct ga_panel_strip *strip);

// Packs the one column of a strip from elements of a type as they are stored, of any alignment, if the format stores
// them so: the same bytes as those of their floats, but none is rounded again. False if not: then nothing is packed.
// from: the first element, and the block that begins with it; strip->from is not used.
bool ga_panel_move(const struct ga_panel_format *format, enum ga_dtype dtype, const unsigned char *from,
                   const struct ga_panel_strip *strip);

// Bytes of one column of a running sum of so many weights.
size_t ga_panel_sum_bytes(const struct ga_panel_format *format, size_t count);

#endif
