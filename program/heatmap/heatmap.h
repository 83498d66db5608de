// heatmap.h: matrices of weights drawn as a file that needs nothing but itself: panels side by side under one colour
// scale, labels on both axes, what is masked hatched. Knows nothing of models; computes no weights.
#ifndef GA_HEATMAP_H
#define GA_HEATMAP_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

// One matrix. Values are >= 0; a NaN is marked, a number below zero is drawn as 0.
struct ga_heatmap_panel {
    const char *title;     // NUL-terminated UTF-8, any characters
    const float *values;   // [rows][row_stride], the first `cols` of each row are drawn
    size_t row_stride;     // in floats, >= cols
    const uint8_t *masked; // [rows][cols], not zero: a mask excludes this cell; NULL: none
};

// Everything the picture says. All pointers stay the caller's and are only read.
struct ga_heatmap {
    const char *title;
    const char *subtitle;                  // a line under the title, or NULL
    const char *mask;                      // what excludes the masked cells, for the legend: "causal"; NULL: no mask
    const char *row_axis, *col_axis;       // what the rows and the columns are, as one: "query", "key"
    const char *value_name;                // what a value is: "attention weight"
    size_t rows, cols;                     // of every panel, >= 1
    const char *const *row_labels;         // [rows]; NULL: places from 0
    const char *const *col_labels;         // [cols]; NULL: places from 0
    const struct ga_heatmap_panel *panels; // [n_panels]
    size_t n_panels;                       // >= 1
};

// An SVG file, where each value of small panels is told on hovering; or an HTML page around that picture, whose script
// tells the values of large ones too.
enum ga_heatmap_form { GA_HEATMAP_SVG, GA_HEATMAP_HTML };

// Writes the picture to path, whole or not at all. Of maps too large to be seen cell by cell one cell drawn stands for
// several rows and columns, and the picture says so. GA_ARGUMENT: nothing to draw; GA_IO: the file could not be
// written; GA_MEMORY. error says why.
enum ga_status ga_heatmap_write(const char *path, enum ga_heatmap_form form, const struct ga_heatmap *map,
                                struct ga_error *error);

#endif
