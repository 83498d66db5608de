// heatmap_layout.c: sizes of cells by how many there are, which labels have room, where panels go. Writes nothing.
#include <math.h>
#include <string.h>

#include "heatmap_parts.h"
#include "min_max.h"
#include "utf8.h"

// Pixels, but for the counts at the end.
enum {
    CELL_MOST = 48,
    CELL_THIN = 16, // the shorter side of a cell of a very long and flat matrix
    LETTER = 7,     // room a letter of a label takes
    TITLE_LETTER = 12,
    TEXT_LETTER = 8,
    LABEL_HEIGHT = 11,
    LABEL_GAP = 8, // between labels side by side, where they are thinned out
    NUMBER_X = 30, // the least cell that has room for its value
    NUMBER_Y = 18,
    TITLE = 30, // height of the title
    SCALE_LEAST = 160,
    SCALE_MOST = 400,
    HOVERED_MOST = 8192 // cells with an element each
};

// -- Cells ----------------------------------------------------------------------------------------------------------

// The side a panel's cells should about fill: more panels, smaller ones.
static size_t panel_side(size_t n_panels)
{
    static const struct {
        size_t panels, side;
    } sides[] = {{1, 720}, {4, 480}, {16, 384}, {64, 256}};
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        if (n_panels <= sides[i].panels) {
            return sides[i].side;
        }
    }
    return 160;
}

// Square where that can be; a matrix of few rows and many columns, or the other way round, has longer cells.
static void size_cells(const struct ga_heatmap *map, const struct ga_grid *grid, struct ga_layout *at)
{
    size_t side = panel_side(map->n_panels);
    size_t x = ga_min(ga_max(side / grid->cols, 1), CELL_MOST), y = ga_min(ga_max(side / grid->rows, 1), CELL_MOST);
    at->cell_x = ga_min(x, ga_max(y, CELL_THIN));
    at->cell_y = ga_min(y, ga_max(x, CELL_THIN));
    at->cells_x = at->cell_x * grid->cols;
    at->cells_y = at->cell_y * grid->rows;
    at->numbers = at->cell_x >= NUMBER_X && at->cell_y >= NUMBER_Y && !ga_grid_binned(grid);
}

// -- Labels ---------------------------------------------------------------------------------------------------------

const char *ga_label(const char *const *labels, size_t place, char text[GA_PLACE_TEXT])
{
    if (labels) {
        return labels[place];
    }
    snprintf(text, GA_PLACE_TEXT, "%zu", place);
    return text;
}

// Room of the longest label, in pixels.
static size_t longest(const char *const *labels, size_t count)
{
    char text[GA_PLACE_TEXT];
    size_t most = 0;
    for (size_t i = labels ? 0 : count - 1; i < count; i++) { // the last place is the longest
        most = ga_max(most, ga_min(ga_utf8_width(ga_label(labels, i, text)), GA_LABEL_MOST));
    }
    return most * LETTER;
}

// Labels from one drawn to the next, so that each has `room` pixels: 1, 2, 5, 10, ...
static size_t step_for(size_t room, size_t cell, size_t bin)
{
    static const size_t factors[] = {2, 5, 10};
    size_t unit = 1, step = 1;
    for (size_t i = 0; step * cell < room * bin; i++) {
        step = unit * factors[i % 3];
        unit *= i % 3 == 2 ? 10 : 1;
    }
    return step;
}

// Places are thinned out sooner than names: those between are easily told.
static void place_labels(const struct ga_heatmap *map, const struct ga_grid *grid, struct ga_layout *at)
{
    size_t wide = longest(map->col_labels, map->cols) + LABEL_GAP / 2;
    size_t row_room = LABEL_HEIGHT, col_room = wide;
    bool all = at->cell_x >= wide && grid->col_bin == 1;
    at->upright = map->col_labels && !all;
    if (at->upright) {
        col_room = LABEL_HEIGHT;
    } else if (!all) {
        col_room = wide + LABEL_GAP;
    }
    if (!map->row_labels && (at->cell_y < LABEL_HEIGHT || grid->row_bin > 1)) {
        row_room = 2 * LABEL_HEIGHT;
    }
    at->row_step = step_for(row_room, at->cell_y, grid->row_bin);
    at->col_step = step_for(col_room, at->cell_x, grid->col_bin);
    at->left = GA_AXIS + longest(map->row_labels, map->rows) + GA_LABEL_PAD;
    at->top = GA_PANEL_HEAD + GA_AXIS + (at->upright ? wide : LABEL_HEIGHT) + GA_LABEL_PAD;
}

// -- Words ----------------------------------------------------------------------------------------------------------

static void describe_cell(const struct ga_heatmap *map, const struct ga_grid *grid, struct ga_layout *at)
{
    char *note = at->note;
    const char *rows = map->row_axis, *cols = map->col_axis;
    if (grid->row_bin > 1 && grid->col_bin > 1) {
        snprintf(note, sizeof at->note,
                 "One cell stands for %zu %s by %zu %s: the sum over its %s, the mean over its %s", grid->row_bin, rows,
                 grid->col_bin, cols, cols, rows);
    } else if (grid->row_bin > 1) {
        snprintf(note, sizeof at->note, "One cell stands for %zu %s: their mean", grid->row_bin, rows);
    } else if (grid->col_bin > 1) {
        snprintf(note, sizeof at->note, "One cell stands for %zu %s: their sum", grid->col_bin, cols);
    }
}

static void describe_marks(const struct ga_heatmap *map, const struct ga_grid *grid, struct ga_layout *at)
{
    const char *why = map->mask ? map->mask : "mask";
    const struct {
        enum ga_cell state;
        const char *before, *why, *after;
    } marks[] = {
        {GA_CELL_MASKED, "masked: ", why, ""},
        {GA_CELL_STRIPED, "masked (", why, "), yet with a weight"},
        {GA_CELL_NAN, "not a number", "", ""},
    };
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (grid->has[marks[i].state]) {
            snprintf(at->legend[i], sizeof at->legend[i], "%s%s%s", marks[i].before, marks[i].why, marks[i].after);
        }
    }
}

static size_t words_width(const struct ga_heatmap *map, struct ga_layout *at)
{
    size_t width = ga_max(ga_utf8_width(map->title) * TITLE_LETTER,
                          map->subtitle ? ga_utf8_width(map->subtitle) * TEXT_LETTER : 0);
    size_t legend = 0;
    size_t lines = (size_t)(map->subtitle != NULL) + (*at->note != '\0');
    for (size_t i = 0; i < sizeof at->legend / sizeof at->legend[0]; i++) {
        legend += *at->legend[i] ? ga_legend_width(at->legend[i]) : 0;
    }
    at->head = TITLE + GA_LINE * (lines + (legend > 0));
    return ga_max(width, ga_max(legend, ga_utf8_width(at->note) * TEXT_LETTER));
}

size_t ga_legend_width(const char *text)
{
    return GA_SWATCH + 3 * GA_LABEL_PAD + ga_utf8_width(text) * TEXT_LETTER;
}

// -- All of it ------------------------------------------------------------------------------------------------------

// Panels side by side so that the picture is about 1.6 times as wide as high, rows evenly filled.
static void arrange(const struct ga_heatmap *map, struct ga_layout *at)
{
    at->panel_x = at->left + at->cells_x;
    at->panel_y = at->top + at->cells_y;
    double ratio = 1.6 * (double)at->panel_y / (double)at->panel_x;
    size_t across = (size_t)fmax(1.0, ceil(sqrt(ratio * (double)map->n_panels) - 0.25));
    across = ga_min(across, map->n_panels);
    at->down = (map->n_panels + across - 1) / across;
    at->across = (map->n_panels + at->down - 1) / at->down;
}

struct ga_layout ga_layout_make(const struct ga_heatmap *map, const struct ga_grid *grid, enum ga_heatmap_form form)
{
    struct ga_layout at = {0};
    size_cells(map, grid, &at);
    place_labels(map, grid, &at);
    arrange(map, &at);
    describe_cell(map, grid, &at);
    describe_marks(map, grid, &at);
    at.hover = form == GA_HEATMAP_SVG && grid->rows * grid->cols * map->n_panels <= HOVERED_MOST;
    at.scale = ga_min(ga_max(at.cells_y, SCALE_LEAST), SCALE_MOST);
    size_t words = words_width(map, &at);
    size_t panels_x = at.across * (at.panel_x + GA_GAP) - GA_GAP;
    size_t panels_y = at.down * (at.panel_y + GA_GAP) - GA_GAP;
    at.page_x = 2 * GA_MARGIN + ga_max(panels_x + GA_SCALE_GAP + GA_SCALE_ROOM, words);
    at.page_y = 2 * GA_MARGIN + at.head + ga_max(panels_y, at.top + at.scale);
    return at;
}

size_t ga_panel_left(const struct ga_layout *at, size_t panel)
{
    return GA_MARGIN + panel % at->across * (at->panel_x + GA_GAP);
}

size_t ga_panel_top(const struct ga_layout *at, size_t panel)
{
    return GA_MARGIN + at->head + panel / at->across * (at->panel_y + GA_GAP);
}
