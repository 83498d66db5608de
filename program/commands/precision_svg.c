// precision_svg.c: errors and times of each linear in each dtype as a picture that needs nothing but itself. Knows no
// model.
#include <math.h>
#include <stdio.h>

#include "elementary.h"
#include "made_file.h"
#include "precision.h"

enum { MARGIN = 16, LABELS = 100, BARS = 280, GAP = 90, ROW = 22, HEAD = 96, FOOT = 20, DECADES = 10 };

static const double LEAST_SHOWN = 1e-10; // of errors: the left end of their axis; 1 is the right one

// Where an error stands on its axis, in pixels from the left end.
static double error_at(double error)
{
    const double shown = error > LEAST_SHOWN ? error < 1 ? error : 1 : LEAST_SHOWN;
    return isnan(error) ? (double)BARS : ga_log(shown / LEAST_SHOWN) / ga_log(1 / LEAST_SHOWN) * (double)BARS;
}

struct row {
    const char *linear;
    struct ga_measured found;
    enum ga_arithmetic arithmetic;
    bool is_chosen, is_mixture;
};

static void put_head(FILE *file, const char *name, const struct ga_precision *precision, size_t rows)
{
    const size_t width = 2 * MARGIN + LABELS + 2 * (BARS + GAP), height = HEAD + rows * ROW + FOOT;
    const double limit = MARGIN + LABELS + error_at(precision->limit);
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"%zu\" viewBox=\"0 0 %zu %zu\" "
            "font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n"
            "<title>Error and time of %s with each linear in each dtype</title>\n"
            "<style>\n.ground{fill:#fff}text{fill:#222}.line{stroke:#aaa}.limit{stroke:#c33;stroke-dasharray:4 3}"
            ".f32{fill:#999}.bf16{fill:#c7a6dd}.i16{fill:#7fb2e5}.int8{fill:#f0b775}.mixture{fill:#9ad1a5}.chosen{font-"
            "weight:bold}\n"
            "@media(prefers-color-scheme:dark){.ground{fill:#161616}text{fill:#ddd}.line{stroke:#555}}\n</style>\n"
            "<rect class=\"ground\" width=\"100%%\" height=\"100%%\"/>\n"
            "<text x=\"%d\" y=\"24\" font-size=\"15\">%s: what each linear costs and saves in each dtype</text>\n"
            "<text x=\"%d\" y=\"42\">%zu rows, %s, %zu thread%s; the others f32; bold: in the mixture</text>\n"
            "<text x=\"%d\" y=\"%d\">error against f32, by decades; dashed: the limit, %.3g</text>\n"
            "<text x=\"%d\" y=\"%d\">time of a call, of f32's</text>\n"
            "<line class=\"limit\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%zu\"/>\n",
            width, height, width, height, name, MARGIN, name, MARGIN, precision->rows, precision->isa,
            precision->threads, precision->threads == 1 ? "" : "s", MARGIN + LABELS, HEAD - 30, precision->limit,
            MARGIN + LABELS + BARS + GAP, HEAD - 30, limit, HEAD - 8, limit, height - FOOT + 4);
}

static void put_axis(FILE *file, size_t rows)
{
    for (int decade = 0; decade <= DECADES; decade += 2) {
        const int x = MARGIN + LABELS + decade * BARS / DECADES;
        fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"10\">1e%d</text>\n", x, HEAD - 12,
                decade - DECADES);
    }
    for (int part = 0; part <= 4; part++) {
        const int x = MARGIN + LABELS + BARS + GAP + part * BARS / 4;
        fprintf(file,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"10\">%.2f</text>\n"
                "<line class=\"line\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%zu\"/>\n",
                x, HEAD - 12, part / 4.0, x, HEAD - 8, x, HEAD + rows * ROW);
    }
}

static void put_row(FILE *file, const struct row *row, size_t at)
{
    const size_t y = HEAD + at * ROW;
    const char *class = row->is_mixture ? "mixture" : ga_arithmetic_name(row->arithmetic);
    const double time = row->found.time < 1.1 ? row->found.time : 1.1;
    fprintf(file,
            "<text%s x=\"%d\" y=\"%zu\">%s%s%s</text>\n"
            "<rect class=\"%s\" x=\"%d\" y=\"%zu\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>\n"
            "<text x=\"%.1f\" y=\"%zu\" font-size=\"11\">%.2g</text>\n"
            "<rect class=\"%s\" x=\"%d\" y=\"%zu\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>\n"
            "<text x=\"%.1f\" y=\"%zu\" font-size=\"11\">%.3f</text>\n",
            row->is_chosen || row->is_mixture ? " class=\"chosen\"" : "", MARGIN, y + 15, row->linear,
            row->is_mixture ? "" : " ", row->is_mixture ? "" : ga_arithmetic_name(row->arithmetic), class,
            MARGIN + LABELS, y + 3, error_at(row->found.error), ROW - 6,
            MARGIN + LABELS + error_at(row->found.error) + 5, y + 15, row->found.error, class,
            MARGIN + LABELS + BARS + GAP, y + 3, time * (double)BARS, ROW - 6,
            MARGIN + LABELS + BARS + GAP + time * (double)BARS + 5, y + 15, row->found.time);
}

enum { MOST_ROWS = ((int)GA_LINEARS + 1) * (int)GA_ARITHMETICS + 1 };

// The rows of the picture, in order; returns how many.
static size_t find_rows(const struct ga_precision *precision, struct row rows[MOST_ROWS])
{
    size_t count = 0;
    for (size_t l = 0; l <= GA_LINEARS; l++) {
        for (size_t a = GA_ARITHMETIC_F32 + 1; a < GA_ARITHMETICS; a++) {
            const enum ga_arithmetic dtype = (enum ga_arithmetic)a;
            if (!precision->figures.is_choice[a] || (l < GA_LINEARS && !precision->figures.is_there[l])) {
                continue;
            }
            rows[count++] = l == GA_LINEARS
                                ? (struct row){"all", precision->uniform[a], dtype, false, false}
                                : (struct row){ga_linear_name((enum ga_linear)l), precision->figures.of[l][a], dtype,
                                               precision->of[l] == dtype, false};
        }
    }
    rows[count++] = (struct row){"mixture", precision->chosen, GA_ARITHMETIC_F32, true, true};
    return count;
}

// The picture of a model's figures.
struct drawn {
    const char *name;
    const struct ga_precision *precision;
};

static bool draw(FILE *file, const void *data)
{
    const struct drawn *drawn = data;
    struct row rows[MOST_ROWS];
    const size_t count = find_rows(drawn->precision, rows);
    put_head(file, drawn->name, drawn->precision, count);
    put_axis(file, count);
    for (size_t i = 0; i < count; i++) {
        put_row(file, &rows[i], i);
    }
    return fputs("</svg>\n", file) != EOF;
}

enum ga_exit ga_precision_draw(const struct ga_context *context, const struct ga_precision *precision, const char *path)
{
    const struct drawn drawn = {context->model->name, precision};
    return ga_made_file_write(context, path, "no memory for the picture", draw, &drawn);
}
