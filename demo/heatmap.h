// heatmap.h: matrices of weights drawn as an SVG file that needs nothing but itself: panels side by side under one
// colour scale, labels on both axes, every value to be read by hovering. Knows nothing of models; computes no weights.
#ifndef GA_HEATMAP_H
#define GA_HEATMAP_H

#include <stddef.h>

#include "status.h"

// One matrix. Values are >= 0 and finite; what is not is drawn as 0.
struct ga_heatmap_panel {
    const char *title;   // NUL-terminated UTF-8, any characters
    const float *values; // [rows][row_stride], the first `cols` of each row are drawn
    size_t row_stride;   // in floats, >= cols
};

// Everything the picture says. All pointers stay the caller's and are only read.
struct ga_heatmap {
    const char *title;
    const char *subtitle;                  // a line under the title, or NULL
    const char *row_axis, *col_axis;       // what the rows and the columns are: "query token", "key token"
    const char *value_name;                // what a value is: "attention weight"
    size_t rows, cols;                     // of every panel, >= 1
    const char *const *row_labels;         // [rows]
    const char *const *col_labels;         // [cols]
    const struct ga_heatmap_panel *panels; // [n_panels]
    size_t n_panels;                       // >= 1
};

// Writes the picture to path. GA_ARGUMENT: nothing to draw; GA_IO: the file could not be written, error says why.
enum ga_status ga_heatmap_write(const char *path, const struct ga_heatmap *map, struct ga_error *error);

#endif
