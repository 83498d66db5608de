// heatmap_html.c: a page around the picture that tells the value under the pointer: the cells' numbers as JSON and a
// small script. The page loads nothing, and what a label says reaches it as text, never as markup.
#include "heatmap_parts.h"
#include "utf8.h"

static const char style[] =
    "<style>\n"
    "body{margin:0;background:#fff} svg{display:block}\n"
    "#tip{position:fixed;pointer-events:none;font:13px sans-serif;padding:6px 9px;"
    "border-radius:4px;background:#222;color:#fff;white-space:pre;max-width:90vw;overflow:hidden}\n"
    "#here{fill:none;stroke:#e11d48;stroke-width:2;pointer-events:none}\n"
    "rect[data-panel]{pointer-events:all}\n"
    "@media (prefers-color-scheme: dark) { body{background:#15171b} "
    "#tip{background:#f3f3f3;color:#111} #here{stroke:#fbbf24} }\n"
    "</style>\n";

// Reads what put_data writes; a value that is null marks a cell without one.
static const char script[] =
    "<script>\n"
    "'use strict';\n"
    "const map = JSON.parse(document.getElementById('map').textContent);\n"
    "const tip = document.getElementById('tip');\n"
    "const here = document.createElementNS('http://www.w3.org/2000/svg', 'rect');\n"
    "here.id = 'here';\n"
    "const place = (axis, cell) => {\n"
    "  const first = cell * axis.bin, last = Math.min(first + axis.bin, axis.count) - 1;\n"
    "  const name = at => axis.labels ? `${axis.labels[at]} (${at})` : `${at}`;\n"
    "  return first === last ? name(first) : `${name(first)} .. ${name(last)}`;\n"
    "};\n"
    "const words = cell => {\n"
    "  const state = map.states[cell.state];\n"
    "  const value = cell.value === null ? '' : `${map.value}: ${cell.value}`;\n"
    "  return value + (value && state ? ', ' : '') + state;\n"
    "};\n"
    "const show = (frame, event) => {\n"
    "  const box = frame.getBoundingClientRect(), panel = map.panels[frame.dataset.panel];\n"
    "  const inside = (part, count) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));\n"
    "  const row = inside((event.clientY - box.top) / box.height, map.rows.cells);\n"
    "  const col = inside((event.clientX - box.left) / box.width, map.cols.cells);\n"
    "  const at = row * map.cols.cells + col;\n"
    "  const cell = { state: +panel.states[at], value: panel.values[at] };\n"
    "  tip.textContent = `${panel.title}\\n${map.rows.name}: ${place(map.rows, row)}\\n` +\n"
    "    `${map.cols.name}: ${place(map.cols, col)}\\n${words(cell)}`;\n"
    "  tip.hidden = false;\n"
    "  tip.style.left = Math.max(0, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 4)) + 'px';\n"
    "  tip.style.top = Math.max(0, Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 4)) + 'px';\n"
    "  const width = frame.width.baseVal.value / map.cols.cells, height = frame.height.baseVal.value / "
    "map.rows.cells;\n"
    "  const box_at = { x: col * width, y: row * height, width, height };\n"
    "  for (const name in box_at) here.setAttribute(name, box_at[name]);\n"
    "  frame.after(here);\n"
    "};\n"
    "const hide = () => { tip.hidden = true; here.remove(); };\n"
    "for (const frame of document.querySelectorAll('[data-panel]')) {\n"
    "  frame.addEventListener('pointermove', event => show(frame, event));\n"
    "  frame.addEventListener('pointerdown', event => show(frame, event));\n"
    "  frame.addEventListener('pointerleave', hide);\n"
    "}\n"
    "</script>\n";

static void put_axis(FILE *out, const char *key, const char *name, const char *const *labels, size_t count, size_t bin,
                     size_t cells)
{
    fprintf(out, "\"%s\":{\"name\":", key);
    ga_put_json(out, name);
    fprintf(out, ",\"count\":%zu,\"bin\":%zu,\"cells\":%zu,\"labels\":", count, bin, cells);
    for (size_t i = 0; labels && i < count; i++) {
        putc(i ? ',' : '[', out);
        ga_put_json(out, labels[i]);
    }
    fputs(labels ? "]},\n" : "null},\n", out);
}

static void put_values(FILE *out, const struct ga_grid *grid, size_t from, size_t count)
{
    for (size_t i = from; i < from + count; i++) {
        fputs(i > from ? "," : "", out);
        if (grid->looks[i] < GA_LEVELS) {
            fprintf(out, "%.4g", (double)grid->values[i]);
        } else {
            fputs("null", out);
        }
    }
}

static void put_panel(const struct ga_picture *picture, size_t panel)
{
    FILE *out = picture->out;
    size_t count = picture->grid.rows * picture->grid.cols, from = panel * count;
    fputs(panel ? ",\n{\"title\":" : "{\"title\":", out);
    ga_put_json(out, picture->map->panels[panel].title);
    fputs(",\"states\":\"", out);
    for (size_t i = from; i < from + count; i++) {
        putc('0' + picture->grid.states[i], out);
    }
    fputs("\",\"values\":[", out);
    put_values(out, &picture->grid, from, count);
    fputs("]}", out);
}

// The data of the script: axes, and each panel's cells as drawn, row by row.
static void put_data(const struct ga_picture *picture)
{
    const struct ga_heatmap *map = picture->map;
    const struct ga_grid *grid = &picture->grid;
    FILE *out = picture->out;
    fputs("<script type=\"application/json\" id=\"map\">\n{\"value\":", out);
    ga_put_json(out, map->value_name);
    fputs(",\"states\":[\"\",\"masked\",\"masked\",\"not a number\"],\n", out);
    put_axis(out, "rows", map->row_axis, map->row_labels, map->rows, grid->row_bin, grid->rows);
    put_axis(out, "cols", map->col_axis, map->col_labels, map->cols, grid->col_bin, grid->cols);
    fputs("\"panels\":[", out);
    for (size_t p = 0; p < map->n_panels; p++) {
        put_panel(picture, p);
    }
    fputs("]}\n</script>\n", out);
}

void ga_put_html(const struct ga_picture *picture)
{
    FILE *out = picture->out;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>", out);
    ga_put_xml(out, picture->map->title, 0);
    fprintf(out, "</title>\n%s</head>\n<body>\n", style);
    ga_put_svg(picture);
    fputs("<div id=\"tip\" hidden></div>\n", out);
    put_data(picture);
    fprintf(out, "%s</body>\n</html>\n", script);
}
