// panel_formats.h: a part of a column of weights as each number format of panels keeps it. Knows no linear.
#ifndef GA_PANEL_FORMATS_H
#define GA_PANEL_FORMATS_H

#include "packed_parts.h"

enum { GA_LONGEST_SUM = 256 }; // weights of a running sum

// A running sum's weights of one column: where they go, at column j of `width`, and what they are times `factor`.
struct ga_panel_column {
    unsigned char *sum; // where the running sum begins in its panel
    size_t width, j;
    const float *weights;
    size_t count; // 1 .. GA_LONGEST_SUM, of groups up to GA_GROUP
    float factor;
};

typedef void (*ga_panel_put)(const struct ga_panel_format *format, const struct ga_panel_column *column);

// What packs a column; the panel holds zeros there.
ga_panel_put ga_panel_put_of(enum ga_panel_numbers numbers);

// Bytes of one column of a running sum of so many weights.
size_t ga_panel_sum_bytes(const struct ga_panel_format *format, size_t count);

#endif
