// heatmap_parts.h: what the parts of a heat map hand to each other: cells, then sizes, then text.
// Of no use outside heatmap*.c.
#ifndef GA_HEATMAP_PARTS_H
#define GA_HEATMAP_PARTS_H

#include <stdbool.h>
#include <stdio.h>

#include "heatmap.h"

// -- heatmap_grid.c: the cells as drawn -----------------------------------------------------------------------------

enum { GA_LEVELS = 64 }; // colours of the scale

enum ga_cell {
    GA_CELL_SEEN,
    GA_CELL_MASKED,
    GA_CELL_STRIPED, // masked, and yet with a weight: a fill that does not mask, or a row that sees no key
    GA_CELL_NAN,
    GA_CELLS
};

// A cell drawn is a bin of row_bin x col_bin cells (fewer at the far ends): the sum over its columns, the mean over
// its rows, so that a row of weights sums to the same as before.
struct ga_grid {
    size_t row_bin, col_bin;
    size_t rows, cols;  // of cells drawn
    float *values;      // [n_panels][rows][cols]
    uint8_t *states;    // [n_panels][rows][cols], enum ga_cell
    uint8_t *looks;     // [n_panels][rows][cols], the colour's level, or GA_LEVELS + the state of what has none
    bool has[GA_CELLS]; // which states there are
    double peak;        // value of the last colour, rounded up
    bool root;          // colours follow the square root of a value: most are far below the peak
};

// GA_MEMORY where there is none. The caller frees with ga_grid_free either way.
enum ga_status ga_grid_make(const struct ga_heatmap *map, struct ga_grid *grid_out);
void ga_grid_free(struct ga_grid *grid);

static inline bool ga_grid_binned(const struct ga_grid *grid)
{
    return grid->row_bin > 1 || grid->col_bin > 1;
}

// A value's place on the colour scale, 0..1.
double ga_grid_place(const struct ga_grid *grid, double value);

// -- heatmap_layout.c: where everything goes, in pixels -------------------------------------------------------------

enum {
    GA_MARGIN = 28,     // around everything
    GA_PANEL_HEAD = 26, // a panel's title
    GA_AXIS = 20,       // an axis title
    GA_LABEL_PAD = 6,   // between labels and cells
    GA_LABEL_MOST = 18, // letters of a label that are drawn
    GA_GAP = 30,        // between panels
    GA_SCALE_GAP = 36,  // between the last panel and the colour scale
    GA_SCALE_WIDTH = 14,
    GA_SCALE_ROOM = 96, // the colour scale with its numbers and name
    GA_LINE = 20,       // a line under the title
    GA_SWATCH = 14      // a mark in the legend
};

struct ga_layout {
    size_t across, down;            // panels side by side, rows of panels
    size_t cell_x, cell_y;          // size of a cell drawn
    size_t cells_x, cells_y;        // size of a panel's cells
    size_t row_step, col_step;      // rows from a label to the next
    bool upright;                   // column labels stand on end
    bool numbers;                   // values are written in the cells
    bool hover;                     // every cell is an element with its value
    size_t left, top;               // from a panel's corner to its cells: title, axis title, labels
    size_t panel_x, panel_y;        // size of a panel with everything
    size_t head;                    // height of the title and the lines under it
    size_t scale;                   // height of the colour scale
    size_t page_x, page_y;          // of the picture
    char note[160], legend[3][160]; // lines under the subtitle: what a cell stands for; what marks mean, "" for none
};

struct ga_layout ga_layout_make(const struct ga_heatmap *map, const struct ga_grid *grid, enum ga_heatmap_form form);

// A panel's corner on the page.
size_t ga_panel_left(const struct ga_layout *at, size_t panel);
size_t ga_panel_top(const struct ga_layout *at, size_t panel);

// From the start of one entry of the legend to that of the next.
size_t ga_legend_width(const char *text);

// A label's text: the caller's, or the place in text.
enum { GA_PLACE_TEXT = 24 };
const char *ga_label(const char *const *labels, size_t place, char text[GA_PLACE_TEXT]);

// -- heatmap_colour.c -----------------------------------------------------------------------------------------------

// Writes the style sheet: everything's look on a light background, then what differs on a dark one.
void ga_put_style(FILE *out);

// -- heatmap_svg.c, heatmap_html.c ----------------------------------------------------------------------------------

struct ga_picture {
    FILE *out;
    const struct ga_heatmap *map;
    struct ga_grid grid;
    struct ga_layout at;
};

void ga_put_svg(const struct ga_picture *picture);
void ga_put_html(const struct ga_picture *picture);

#endif
