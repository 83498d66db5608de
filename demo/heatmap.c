// heatmap.c: lays panels out on a grid and prints them as SVG. Uses no library and puts no script in the picture.
#include "heatmap.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Pixels, but for the counts at the end.
enum {
    MARGIN = 28,     // around everything
    HEAD = 58,       // title and subtitle
    PANEL_HEAD = 26, // a panel's title
    AXIS = 20,       // an axis title
    CELL = 18,       // one square
    LETTER = 8,      // room one character of a label takes
    TITLE_LETTER = 13,
    LABEL_PAD = 6,  // between labels and cells
    GAP = 30,       // between panels
    SCALE_GAP = 36, // between the last panel and the colour scale
    SCALE_WIDTH = 14,
    SCALE_ROOM = 84, // the colour scale with its numbers and name
    SCALE_LEAST = 160,
    SCALE_STEPS = 64,
    SIDEWAYS = 3, // column labels with more characters than this stand on end
    TICKS = 4     // steps between numbers on the scale
};

struct layout {
    size_t across, down;     // panels side by side, rows of panels
    size_t left, top;        // from a panel's corner to its cells: axis title, labels
    size_t cells_x, cells_y; // size of a panel's cells
    size_t width, height;    // of a panel with everything
    size_t scale;            // height of the colour scale
    size_t page_x, page_y;   // of the picture
    double peak;             // value of the darkest colour
};

// -- Colour ---------------------------------------------------------------------------------------------------------

static unsigned srgb_byte(double linear)
{
    double c = fmin(fmax(linear, 0.0), 1.0);
    double encoded = c <= 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055;
    return (unsigned)lround(255.0 * encoded);
}

// t in 0..1 as 0xRRGGBB: near-white through blue-green to deep blue. Lightness falls evenly in OKLab (whose matrices
// stand below), so that equal steps of a value look like equal steps.
static unsigned colour(double t)
{
    const double pi = 3.14159265358979;
    double lightness = 0.985 - 0.715 * t;
    double chroma = 0.004 + 0.126 * sin(pi * 0.82 * t);
    double hue = (215.0 + 55.0 * t) * pi / 180.0;
    double a = chroma * cos(hue);
    double b = chroma * sin(hue);
    double l = pow(lightness + 0.3963377774 * a + 0.2158037573 * b, 3.0);
    double m = pow(lightness - 0.1055613458 * a - 0.0638541728 * b, 3.0);
    double s = pow(lightness - 0.0894841775 * a - 1.2914855480 * b, 3.0);
    unsigned red = srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    unsigned green = srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    unsigned blue = srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
    return red << 16 | green << 8 | blue;
}

static double drawable(float value)
{
    return isfinite(value) && value > 0.0f ? (double)value : 0.0;
}

// The largest value, rounded up so that its quarters are short numbers.
static double round_peak(double largest)
{
    static const double steps[] = {1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
    if (largest <= 0.0) {
        return 1.0;
    }
    double unit = pow(10.0, floor(log10(largest)));
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof steps[0] && steps[i] * unit < largest * (1.0 - 1e-6)) {
        i++;
    }
    return steps[i] * unit;
}

static double find_peak(const struct ga_heatmap *map)
{
    double largest = 0.0;
    for (size_t p = 0; p < map->n_panels; p++) {
        for (size_t r = 0; r < map->rows; r++) {
            for (size_t c = 0; c < map->cols; c++) {
                largest = fmax(largest, drawable(map->panels[p].values[r * map->panels[p].row_stride + c]));
            }
        }
    }
    return round_peak(largest);
}

// -- Layout ---------------------------------------------------------------------------------------------------------

static size_t letters(const char *text)
{
    size_t count = 0;
    for (; *text; text++) {
        count += ((unsigned char)*text & 0xC0) != 0x80; // continuation bytes of UTF-8 take no room
    }
    return count;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t longest(const char *const *labels, size_t count)
{
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most = larger(most, letters(labels[i]));
    }
    return most;
}

static bool stands_on_end(const struct ga_heatmap *map)
{
    return longest(map->col_labels, map->cols) > SIDEWAYS;
}

// Panels side by side so that the picture is about 1.6 times as wide as high, rows evenly filled.
static size_t panels_across(size_t n_panels)
{
    size_t across = (size_t)ceil(sqrt(1.6 * (double)n_panels));
    size_t down = (n_panels + across - 1) / across;
    return (n_panels + down - 1) / down;
}

static struct layout lay_out(const struct ga_heatmap *map)
{
    struct layout at = {.across = panels_across(map->n_panels), .peak = find_peak(map)};
    at.down = (map->n_panels + at.across - 1) / at.across;
    size_t col_label = stands_on_end(map) ? longest(map->col_labels, map->cols) * LETTER : 2 * LETTER;
    at.left = AXIS + longest(map->row_labels, map->rows) * LETTER + LABEL_PAD;
    at.top = PANEL_HEAD + AXIS + col_label + LABEL_PAD;
    at.cells_x = map->cols * CELL;
    at.cells_y = map->rows * CELL;
    at.width = at.left + at.cells_x;
    at.height = at.top + at.cells_y;
    at.scale = larger(at.cells_y, SCALE_LEAST);
    size_t panels_x = at.across * at.width + (at.across - 1) * GAP;
    size_t panels_y = at.down * at.height + (at.down - 1) * GAP;
    size_t head_x = larger(letters(map->title) * TITLE_LETTER, map->subtitle ? letters(map->subtitle) * LETTER : 0);
    at.page_x = 2 * MARGIN + larger(panels_x + SCALE_GAP + SCALE_ROOM, head_x);
    at.page_y = 2 * MARGIN + HEAD + larger(panels_y, at.top + at.scale);
    return at;
}

// -- Writing --------------------------------------------------------------------------------------------------------

// Text as XML content: what XML gives a meaning is spelled out, control characters become a replacement mark.
static void put_text(FILE *out, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            if ((unsigned char)*text < ' ') {
                fputs("\xEF\xBF\xBD", out);
            } else {
                putc(*text, out);
            }
        }
    }
}

// A text element; `attributes` are the program's own.
static void put_label(FILE *out, double x, double y, const char *attributes, const char *text)
{
    fprintf(out, "<text x=\"%g\" y=\"%g\" %s>", x, y, attributes);
    put_text(out, text);
    fputs("</text>\n", out);
}

// The same, turned to read upwards around its own place.
static void put_upwards(FILE *out, double x, double y, const char *attributes, const char *text)
{
    fprintf(out, "<text transform=\"translate(%g %g) rotate(-90)\" %s>", x, y, attributes);
    put_text(out, text);
    fputs("</text>\n", out);
}

static void put_cell(FILE *out, const struct ga_heatmap *map, size_t row, size_t col, double value, double peak)
{
    fprintf(out, "<path fill=\"#%06x\" d=\"M%zu %zuh1v1h-1z\"><title>", colour(value / peak), col, row);
    put_text(out, map->row_labels[row]);
    fputs(" \xE2\x86\x92 ", out); // an arrow to the right
    put_text(out, map->col_labels[col]);
    fprintf(out, ": %.4f</title></path>\n", value);
}

static void put_cells(FILE *out, const struct ga_heatmap *map, const struct layout *at,
                      const struct ga_heatmap_panel *panel)
{
    fprintf(out, "<g transform=\"translate(%zu %zu) scale(%d)\" shape-rendering=\"crispEdges\">\n", at->left, at->top,
            CELL);
    for (size_t r = 0; r < map->rows; r++) {
        for (size_t c = 0; c < map->cols; c++) {
            put_cell(out, map, r, c, drawable(panel->values[r * panel->row_stride + c]), at->peak);
        }
    }
    fprintf(out, "</g>\n<rect class=\"frame\" x=\"%zu\" y=\"%zu\" width=\"%zu\" height=\"%zu\"/>\n", at->left, at->top,
            at->cells_x, at->cells_y);
}

static void put_row_labels(FILE *out, const struct ga_heatmap *map, const struct layout *at)
{
    double x = (double)(at->left - LABEL_PAD);
    for (size_t r = 0; r < map->rows; r++) {
        put_label(out, x, (double)(at->top + r * CELL) + 0.5 * CELL + 4.0, "class=\"label end\"", map->row_labels[r]);
    }
    put_upwards(out, 12.0, (double)at->top + 0.5 * (double)at->cells_y, "class=\"axis middle\"", map->row_axis);
}

static void put_col_labels(FILE *out, const struct ga_heatmap *map, const struct layout *at)
{
    bool on_end = stands_on_end(map);
    double y = (double)(at->top - LABEL_PAD);
    for (size_t c = 0; c < map->cols; c++) {
        double x = (double)(at->left + c * CELL) + 0.5 * CELL;
        if (on_end) {
            put_upwards(out, x + 4.0, y, "class=\"label\"", map->col_labels[c]);
        } else {
            put_label(out, x, y, "class=\"label middle\"", map->col_labels[c]);
        }
    }
    put_label(out, (double)at->left + 0.5 * (double)at->cells_x, PANEL_HEAD + 12.0, "class=\"axis middle\"",
              map->col_axis);
}

static void put_panel(FILE *out, const struct ga_heatmap *map, const struct layout *at, size_t index)
{
    size_t x = MARGIN + index % at->across * (at->width + GAP);
    size_t y = MARGIN + HEAD + index / at->across * (at->height + GAP);
    fprintf(out, "<g transform=\"translate(%zu %zu)\">\n", x, y);
    put_label(out, (double)at->left, 14.0, "class=\"panel\"", map->panels[index].title);
    put_col_labels(out, map, at);
    put_row_labels(out, map, at);
    put_cells(out, map, at, &map->panels[index]);
    fputs("</g>\n", out);
}

static void put_scale(FILE *out, const struct ga_heatmap *map, const struct layout *at)
{
    size_t x = MARGIN + at->across * (at->width + GAP) - GAP + SCALE_GAP;
    double height = (double)at->scale;
    fprintf(out, "<g transform=\"translate(%zu %zu)\">\n<g shape-rendering=\"crispEdges\">\n", x,
            (size_t)(MARGIN + HEAD) + at->top);
    for (int i = 0; i < SCALE_STEPS; i++) {
        double top = height * (1.0 - (i + 1.0) / SCALE_STEPS);
        fprintf(out, "<rect x=\"0\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"#%06x\"/>\n", top, SCALE_WIDTH,
                height / SCALE_STEPS + 0.5, colour((i + 0.5) / SCALE_STEPS));
    }
    fprintf(out, "</g>\n<rect class=\"frame\" width=\"%d\" height=\"%g\"/>\n", SCALE_WIDTH, height);
    for (int i = 0; i <= TICKS; i++) {
        char number[32];
        double y = height * (1.0 - (double)i / TICKS);
        snprintf(number, sizeof number, "%.4g", at->peak * i / TICKS);
        fprintf(out, "<path class=\"frame\" d=\"M%d %gh5\"/>\n", SCALE_WIDTH, y);
        put_label(out, SCALE_WIDTH + 9.0, y + 4.0, "class=\"label\"", number);
    }
    put_upwards(out, SCALE_ROOM - 18.0, 0.5 * height, "class=\"axis middle\"", map->value_name);
    fputs("</g>\n", out);
}

static void put_head(FILE *out, const struct ga_heatmap *map, const struct layout *at)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"0 0 %zu %zu\" "
            "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" role=\"img\">\n<title>",
            at->page_x, at->page_y, at->page_x, at->page_y);
    put_text(out, map->title);
    fputs("</title>\n<style>\n"
          ".label { font-size: 11px; fill: #333 }\n"
          ".axis { font-size: 12px; fill: #777 }\n"
          ".panel { font-size: 14px; font-weight: bold; fill: #222 }\n"
          ".end { text-anchor: end }\n"
          ".middle { text-anchor: middle }\n"
          ".frame { fill: none; stroke: #999; stroke-width: 1 }\n"
          "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
          out);
    put_label(out, MARGIN, MARGIN + 16.0, "font-size=\"20\" font-weight=\"bold\" fill=\"#111\"", map->title);
    if (map->subtitle) {
        put_label(out, MARGIN, MARGIN + 38.0, "font-size=\"13\" fill=\"#555\"", map->subtitle);
    }
}

static void put_picture(FILE *out, const struct ga_heatmap *map)
{
    struct layout at = lay_out(map);
    put_head(out, map, &at);
    for (size_t p = 0; p < map->n_panels; p++) {
        put_panel(out, map, &at, p);
    }
    put_scale(out, map, &at);
    fputs("</svg>\n", out);
}

enum ga_status ga_heatmap_write(const char *path, const struct ga_heatmap *map, struct ga_error *error)
{
    if (map->rows == 0 || map->cols == 0 || map->n_panels == 0) {
        return ga_fail(error, GA_ARGUMENT, "%s: a heat map needs rows, columns and panels, found %zu, %zu and %zu",
                       path, map->rows, map->cols, map->n_panels);
    }
    FILE *out = fopen(path, "w");
    if (!out) {
        return ga_fail(error, GA_IO, "%s: cannot be written: %s", path, strerror(errno));
    }
    put_picture(out, map);
    bool written = !ferror(out);
    if (fclose(out) != 0 || !written) {
        return ga_fail(error, GA_IO, "%s: could not be written to its end: %s", path, strerror(errno));
    }
    return GA_OK;
}
