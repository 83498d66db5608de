// heatmap_svg.c: the picture as an SVG element: words, panels, cells, colour scale. Uses no library, no script and no
// font but what the viewer has.
#include <string.h>

#include "heatmap_parts.h"
#include "utf8.h"

// -- Words ----------------------------------------------------------------------------------------------------------

// A text element; classes are the program's own.
static void put_text(FILE *out, double x, double y, const char *classes, const char *text)
{
    fprintf(out, "<text x=\"%g\" y=\"%g\" class=\"%s\">", x, y, classes);
    ga_put_xml(out, text, 0);
    fputs("</text>\n", out);
}

// The same, turned to read upwards around its own place.
static void put_upwards(FILE *out, double x, double y, const char *classes, const char *text, size_t most)
{
    fprintf(out, "<text transform=\"translate(%g %g) rotate(-90)\" class=\"%s\">", x, y, classes);
    ga_put_xml(out, text, most);
    fputs("</text>\n", out);
}

// A label, cut where it is longer than the room for it.
static void put_label(FILE *out, double x, double y, const char *classes, const char *text)
{
    fprintf(out, "<text x=\"%g\" y=\"%g\" class=\"%s\">", x, y, classes);
    ga_put_xml(out, text, GA_LABEL_MOST);
    fputs("</text>\n", out);
}

// The style of the marks on cells, by their state; NULL: none.
static const char *mark_fill(size_t state)
{
    static const char *const fills[GA_CELLS] = {
        [GA_CELL_MASKED] = "fill=\"url(#masked)\"",
        [GA_CELL_STRIPED] = "fill=\"url(#striped)\"",
        [GA_CELL_NAN] = "class=\"nan\"",
    };
    return fills[state];
}

// A cell's look as an attribute.
static const char *look_text(size_t look, char text[24])
{
    if (look >= GA_LEVELS) {
        return mark_fill(look - GA_LEVELS);
    }
    snprintf(text, 24, "class=\"c%zu\"", look);
    return text;
}

static void put_legend(const struct ga_picture *picture, size_t y)
{
    const size_t marks = sizeof picture->at.legend / sizeof picture->at.legend[0];
    size_t x = GA_MARGIN;
    for (size_t i = 0; i < marks; i++) {
        const char *text = picture->at.legend[i];
        if (*text) {
            fprintf(picture->out, "<rect x=\"%zu\" y=\"%zu\" width=\"%d\" height=\"%d\" %s/>\n", x, y - 12, GA_SWATCH,
                    GA_SWATCH, mark_fill(GA_CELL_SEEN + 1 + i));
            put_text(picture->out, (double)(x + GA_SWATCH + GA_LABEL_PAD), (double)y, "line", text);
            x += ga_legend_width(text);
        }
    }
}

static void put_words(const struct ga_picture *picture)
{
    const char *lines[] = {picture->map->subtitle, *picture->at.note ? picture->at.note : NULL};
    size_t y = GA_MARGIN + 16;
    put_text(picture->out, GA_MARGIN, (double)y, "title", picture->map->title);
    y += 2;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        if (lines[i]) {
            y += GA_LINE;
            put_text(picture->out, GA_MARGIN, (double)y, "line", lines[i]);
        }
    }
    put_legend(picture, y + GA_LINE);
}

// -- Cells ----------------------------------------------------------------------------------------------------------

// "the (0)", "4", or "4..7" where one cell stands for several places.
static void put_place(FILE *out, const char *const *labels, size_t cell, size_t bin, size_t count)
{
    size_t first = cell * bin, last = first + bin < count ? first + bin - 1 : count - 1;
    if (labels && bin == 1) {
        ga_put_xml(out, labels[first], 0);
        fprintf(out, " (%zu)", first);
    } else if (first == last) {
        fprintf(out, "%zu", first);
    } else {
        fprintf(out, "%zu..%zu", first, last);
    }
}

static void put_hover(const struct ga_picture *picture, size_t row, size_t col, enum ga_cell state, double value)
{
    const struct ga_heatmap *map = picture->map;
    fputs("<title>", picture->out);
    put_place(picture->out, map->row_labels, row, picture->grid.row_bin, map->rows);
    fputs(" \xE2\x86\x92 ", picture->out); // an arrow to the right
    put_place(picture->out, map->col_labels, col, picture->grid.col_bin, map->cols);
    if (state == GA_CELL_MASKED || state == GA_CELL_NAN) {
        fprintf(picture->out, ": %s</title>", state == GA_CELL_NAN ? "not a number" : "masked");
    } else {
        fprintf(picture->out, ": %.4g%s</title>", value, state == GA_CELL_STRIPED ? ", masked" : "");
    }
}

static void put_cell(const struct ga_picture *picture, size_t row, size_t col, size_t i)
{
    const struct ga_grid *grid = &picture->grid;
    const struct ga_layout *at = &picture->at;
    char look[24];
    fprintf(picture->out, "<path %s d=\"M%zu %zuh%zuv%zuh-%zuz\">", look_text(grid->looks[i], look), col * at->cell_x,
            row * at->cell_y, at->cell_x, at->cell_y, at->cell_x);
    put_hover(picture, row, col, (enum ga_cell)grid->states[i], (double)grid->values[i]);
    fputs("</path>\n", picture->out);
}

// All cells of keys[rows][cols] that are `key` as one path of runs along the rows; nothing where there is none.
static void put_runs(const struct ga_picture *picture, const uint8_t *keys, uint8_t key, const char *attribute)
{
    const struct ga_layout *at = &picture->at;
    size_t cols = picture->grid.cols, count = picture->grid.rows * cols;
    bool any = false;
    for (size_t i = 0, next; i < count; i = next) {
        size_t row = i / cols, x = i % cols * at->cell_x;
        for (next = i + 1; next < (row + 1) * cols && keys[next] == keys[i];) {
            next++;
        }
        if (keys[i] == key) {
            if (!any) {
                fprintf(picture->out, "<path %s d=\"", attribute);
            }
            any = true;
            fprintf(picture->out, "M%zu %zuh%zuv%zuH%zuz", x, row * at->cell_y, (next - i) * at->cell_x, at->cell_y, x);
        }
    }
    fputs(any ? "\"/>\n" : "", picture->out);
}

static void put_number(const struct ga_picture *picture, size_t row, size_t col, size_t i)
{
    const size_t strong = GA_LEVELS * 11 / 20; // from this level on the colour is nearer to the other end
    const struct ga_layout *at = &picture->at;
    if (picture->grid.looks[i] < GA_LEVELS) {
        fprintf(picture->out, "<text class=\"n %s\" x=\"%g\" y=\"%g\">%.2f</text>\n",
                picture->grid.looks[i] < strong ? "pale" : "strong", ((double)col + 0.5) * (double)at->cell_x,
                ((double)row + 0.5) * (double)at->cell_y + 4.0, (double)picture->grid.values[i]);
    }
}

typedef void cell_writer(const struct ga_picture *picture, size_t row, size_t col, size_t i);

static void for_cells(const struct ga_picture *picture, size_t panel, cell_writer *put)
{
    const struct ga_grid *grid = &picture->grid;
    for (size_t row = 0; row < grid->rows; row++) {
        for (size_t col = 0; col < grid->cols; col++) {
            put(picture, row, col, (panel * grid->rows + row) * grid->cols + col);
        }
    }
}

static void put_colours(const struct ga_picture *picture, size_t panel)
{
    const uint8_t *looks = picture->grid.looks + panel * picture->grid.rows * picture->grid.cols;
    char text[24];
    for (size_t look = 0; look < GA_LEVELS + GA_CELLS; look++) {
        put_runs(picture, looks, (uint8_t)look, look_text(look, text));
    }
}

static void put_cells(const struct ga_picture *picture, size_t panel)
{
    const struct ga_layout *at = &picture->at;
    const uint8_t *states = picture->grid.states + panel * picture->grid.rows * picture->grid.cols;
    fprintf(picture->out, "<g transform=\"translate(%zu %zu)\">\n<g class=\"cells\">\n", at->left, at->top);
    if (at->hover) {
        for_cells(picture, panel, put_cell);
    } else {
        put_colours(picture, panel);
    }
    put_runs(picture, states, GA_CELL_STRIPED, mark_fill(GA_CELL_STRIPED));
    fputs("</g>\n", picture->out);
    if (at->numbers) {
        for_cells(picture, panel, put_number);
    }
    fprintf(picture->out, "<rect class=\"frame\" data-panel=\"%zu\" width=\"%zu\" height=\"%zu\"/>\n</g>\n", panel,
            at->cells_x, at->cells_y);
}

// -- Panels ---------------------------------------------------------------------------------------------------------

// The middle of the cell that holds a place.
static double middle(size_t place, size_t bin, size_t cell)
{
    return ((double)(place / bin) + 0.5) * (double)cell;
}

static void put_row_labels(const struct ga_picture *picture)
{
    const struct ga_heatmap *map = picture->map;
    const struct ga_layout *at = &picture->at;
    char text[GA_PLACE_TEXT];
    for (size_t r = 0; r < map->rows; r += at->row_step) {
        double y = (double)at->top + middle(r, picture->grid.row_bin, at->cell_y) + 4.0;
        put_label(picture->out, (double)(at->left - GA_LABEL_PAD), y, "label end", ga_label(map->row_labels, r, text));
    }
    put_upwards(picture->out, 12.0, (double)at->top + 0.5 * (double)at->cells_y, "axis middle", map->row_axis, 0);
}

static void put_col_labels(const struct ga_picture *picture)
{
    const struct ga_heatmap *map = picture->map;
    const struct ga_layout *at = &picture->at;
    double y = (double)(at->top - GA_LABEL_PAD);
    char text[GA_PLACE_TEXT];
    for (size_t c = 0; c < map->cols; c += at->col_step) {
        double x = (double)at->left + middle(c, picture->grid.col_bin, at->cell_x);
        if (at->upright) {
            put_upwards(picture->out, x + 4.0, y, "label", ga_label(map->col_labels, c, text), GA_LABEL_MOST);
        } else {
            put_label(picture->out, x, y, "label middle", ga_label(map->col_labels, c, text));
        }
    }
    put_text(picture->out, (double)at->left + 0.5 * (double)at->cells_x, (double)GA_PANEL_HEAD + 12.0, "axis middle",
             map->col_axis);
}

static void put_panel(const struct ga_picture *picture, size_t panel)
{
    const struct ga_layout *at = &picture->at;
    fprintf(picture->out, "<g transform=\"translate(%zu %zu)\">\n", ga_panel_left(at, panel), ga_panel_top(at, panel));
    put_text(picture->out, (double)at->left, 14.0, "panel", picture->map->panels[panel].title);
    put_col_labels(picture);
    put_row_labels(picture);
    put_cells(picture, panel);
    fputs("</g>\n", picture->out);
}

// -- The colour scale -----------------------------------------------------------------------------------------------

static void put_ticks(const struct ga_picture *picture)
{
    static const double even[] = {0.0, 0.25, 0.5, 0.75, 1.0}, root[] = {0.0, 0.01, 0.1, 0.25, 0.5, 1.0};
    const double *parts = picture->grid.root ? root : even;
    const size_t count = picture->grid.root ? sizeof root / sizeof *root : sizeof even / sizeof *even;
    for (size_t i = 0; i < count; i++) {
        char number[32];
        double value = picture->grid.peak * parts[i];
        double y = (double)picture->at.scale * (1.0 - ga_grid_place(&picture->grid, value));
        snprintf(number, sizeof number, "%.4g", value);
        fprintf(picture->out, "<path class=\"frame\" d=\"M%d %gh5\"/>\n", GA_SCALE_WIDTH, y);
        put_text(picture->out, (double)GA_SCALE_WIDTH + 9.0, y + 4.0, "label", number);
    }
}

static void put_scale(const struct ga_picture *picture)
{
    const struct ga_layout *at = &picture->at;
    FILE *out = picture->out;
    size_t x = ga_panel_left(at, at->across - 1) + at->panel_x + GA_SCALE_GAP;
    double height = (double)at->scale, step = height / (double)GA_LEVELS;
    char name[96];
    fprintf(out, "<g transform=\"translate(%zu %zu)\">\n<g class=\"cells\">\n", x, ga_panel_top(at, 0) + at->top);
    for (int i = 0; i < GA_LEVELS; i++) {
        fprintf(out, "<rect class=\"c%d\" y=\"%.2f\" width=\"%d\" height=\"%.2f\"/>\n", i, height - (i + 1) * step,
                GA_SCALE_WIDTH, i ? step + 0.5 : step);
    }
    fprintf(out, "</g>\n<rect class=\"frame\" width=\"%d\" height=\"%g\"/>\n", GA_SCALE_WIDTH, height);
    put_ticks(picture);
    snprintf(name, sizeof name, "%s%s", picture->map->value_name, picture->grid.root ? ", square-root scale" : "");
    put_upwards(out, (double)GA_SCALE_ROOM - 18.0, 0.5 * height, "axis middle", name, 0);
    fputs("</g>\n", out);
}

// -- All of it ------------------------------------------------------------------------------------------------------

// Stripes over grey where a mask left no weight; fewer of them over a cell's colour, and its number, where it did.
static void put_patterns(FILE *out)
{
    fputs("<defs>\n"
          "<pattern id=\"masked\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
          "<rect class=\"grey\" width=\"6\" height=\"6\"/>"
          "<path class=\"stripe\" d=\"M-1 1 1 -1M-1 7 7 -1M5 7 7 5\"/></pattern>\n"
          "<pattern id=\"striped\" width=\"12\" height=\"12\" patternUnits=\"userSpaceOnUse\">"
          "<path class=\"over\" d=\"M-1 1 1 -1M-1 13 13 -1M11 13 13 11\"/></pattern>\n"
          "</defs>\n",
          out);
}

void ga_put_svg(const struct ga_picture *picture)
{
    const struct ga_layout *at = &picture->at;
    fprintf(picture->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"0 0 %zu %zu\" "
            "font-family=\"sans-serif\" role=\"img\" aria-label=\"",
            at->page_x, at->page_y, at->page_x, at->page_y);
    ga_put_xml(picture->out, picture->map->title, 0);
    fputs("\">\n", picture->out);
    ga_put_style(picture->out);
    put_patterns(picture->out);
    fputs("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n", picture->out);
    put_words(picture);
    for (size_t p = 0; p < picture->map->n_panels; p++) {
        put_panel(picture, p);
    }
    put_scale(picture);
    fputs("</svg>\n", picture->out);
}
