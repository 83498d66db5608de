// test_heatmap.c: cells of maps too large to draw one by one, marks, what becomes of text, and a file that is whole or
// not there. What a small picture says is tests/program/program_draw.lua's.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include <criterion/criterion.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heatmap_parts.h"
#include "utf8.h"

static char folder[64];

static void enter(void)
{
    strcpy(folder, "/tmp/ga_heatmap_XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    cr_assert_eq(chdir(folder), 0);
}

static size_t count_entries(void)
{
    size_t count = 0;
    DIR *entries = opendir(folder);
    cr_assert_not_null(entries);
    for (const struct dirent *entry = readdir(entries); entry != NULL; entry = readdir(entries)) {
        count += entry->d_name[0] != '.';
    }
    closedir(entries);
    return count;
}

static void leave(void)
{
    (void)remove("map.svg");
    cr_expect_eq(chdir("/"), 0);
    cr_expect_eq(rmdir(folder), 0);
}

TestSuite(heatmap, .init = enter, .fini = leave);

enum { MOST_PANELS = 8 };

// Panels of [rows][cols] with every row summing to 1, and causal masks.
struct maps {
    struct ga_heatmap map;
    struct ga_heatmap_panel panels[MOST_PANELS];
    float *values;
    uint8_t *masked;
};

static void make_maps(struct maps *maps, size_t n_panels, size_t rows, size_t cols, bool causal)
{
    maps->values = calloc(rows * cols, sizeof *maps->values);
    maps->masked = calloc(rows * cols, 1);
    cr_assert(maps->values && maps->masked);
    for (size_t i = 0; i < rows * cols; i++) {
        size_t seen = causal && i / cols + 1 < cols ? i / cols + 1 : cols;
        maps->masked[i] = i % cols >= seen;
        maps->values[i] = maps->masked[i] ? 0.0f : 1.0f / (float)seen;
    }
    for (size_t p = 0; p < n_panels; p++) {
        maps->panels[p] = (struct ga_heatmap_panel){"head", maps->values, cols, maps->masked};
    }
    maps->map = (struct ga_heatmap){.title = "title",
                                    .row_axis = "queries",
                                    .col_axis = "keys",
                                    .value_name = "weight",
                                    .mask = "causal",
                                    .rows = rows,
                                    .cols = cols,
                                    .panels = maps->panels,
                                    .n_panels = n_panels};
}

static void drop_maps(struct maps *maps)
{
    free(maps->values);
    free(maps->masked);
}

Test(heatmap, bins_keep_the_sums_of_rows)
{
    static const size_t sizes[][3] = {{8, 512, 512}, {1, 1500, 1500}, {8, 1, 4096}, {8, 511, 77}, {1, 256, 256}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct maps maps;
        struct ga_grid grid;
        make_maps(&maps, sizes[s][0], sizes[s][1], sizes[s][2], false);
        cr_assert_eq(ga_grid_make(&maps.map, &grid), GA_OK);
        cr_expect(grid.rows <= 256 && grid.cols <= 256 && grid.rows * grid.cols * sizes[s][0] <= 140000);
        cr_expect(grid.rows * grid.row_bin >= sizes[s][1] && grid.cols * grid.col_bin >= sizes[s][2]);
        for (size_t r = 0; r < grid.rows; r++) {
            double sum = 0.0;
            for (size_t c = 0; c < grid.cols; c++) {
                sum += (double)grid.values[r * grid.cols + c];
            }
            cr_expect_float_eq(sum, 1.0, 1e-5, "row %zu of %zu x %zu sums to %g", r, sizes[s][1], sizes[s][2], sum);
        }
        ga_grid_free(&grid);
        drop_maps(&maps);
    }
}

Test(heatmap, a_bin_is_masked_where_all_of_it_is)
{
    struct maps maps;
    struct ga_grid grid;
    make_maps(&maps, 8, 512, 512, true);
    cr_assert_eq(ga_grid_make(&maps.map, &grid), GA_OK);
    cr_expect_eq(grid.row_bin, grid.col_bin);
    for (size_t i = 0; i < grid.rows * grid.cols; i++) {
        bool above = i % grid.cols > i / grid.cols;
        cr_expect_eq(grid.states[i], above ? GA_CELL_MASKED : GA_CELL_SEEN);
    }
    cr_expect(grid.root, "a peak of 1 in the first row leaves a linear scale pale");
    ga_grid_free(&grid);
    drop_maps(&maps);
}

Test(heatmap, marks_tell_masked_from_zero)
{
    const float values[] = {0.0f, 0.0f, 0.5f, NAN};
    const uint8_t masked[] = {0, 1, 1, 0};
    const uint8_t wanted[] = {GA_CELL_SEEN, GA_CELL_MASKED, GA_CELL_STRIPED, GA_CELL_NAN};
    const struct ga_heatmap_panel panel = {"head", values, 4, masked};
    const struct ga_heatmap map = {.title = "",
                                   .row_axis = "",
                                   .col_axis = "",
                                   .value_name = "",
                                   .rows = 1,
                                   .cols = 4,
                                   .panels = &panel,
                                   .n_panels = 1};
    struct ga_grid grid;
    cr_assert_eq(ga_grid_make(&map, &grid), GA_OK);
    cr_expect_arr_eq(grid.states, wanted, sizeof wanted);
    cr_expect_eq(grid.looks[0], 0);
    cr_expect_eq(grid.looks[2], GA_LEVELS - 1);
    struct ga_layout at = ga_layout_make(&map, &grid, GA_HEATMAP_SVG);
    cr_expect_str_eq(at.legend[0], "masked: mask");
    cr_expect_str_eq(at.legend[1], "masked (mask), yet with a weight");
    cr_expect_str_eq(at.legend[2], "not a number");
    ga_grid_free(&grid);
}

static long size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (long)status.st_size : -1;
}

Test(heatmap, large_maps_make_sane_files)
{
    struct maps maps;
    make_maps(&maps, 8, 512, 512, false);
    for (size_t i = 0; i < 512 * 512; i++) { // no two neighbours alike: the most text there can be
        maps.values[i] = (float)(i * 2654435761u % 997);
    }
    cr_assert_eq(ga_heatmap_write("map.svg", GA_HEATMAP_SVG, &maps.map, NULL), GA_OK);
    cr_expect(size_of("map.svg") > 100000 && size_of("map.svg") < 4000000, "%ld bytes", size_of("map.svg"));
    drop_maps(&maps);
}

Test(heatmap, a_file_is_whole_or_not_there)
{
    struct maps maps;
    struct ga_error error;
    make_maps(&maps, 1, 2, 2, false);
    cr_expect_eq(ga_heatmap_write("nowhere/map.svg", GA_HEATMAP_SVG, &maps.map, &error), GA_IO);
    cr_expect_not_null(strstr(error.text, "nowhere/map.svg"));
    maps.map.rows = 0;
    cr_expect_eq(ga_heatmap_write("map.svg", GA_HEATMAP_SVG, &maps.map, &error), GA_ARGUMENT);
    cr_expect_eq(count_entries(), 0);
    maps.map.rows = 2;
    cr_expect_eq(ga_heatmap_write("map.svg", GA_HEATMAP_SVG, &maps.map, &error), GA_OK);
    cr_expect_eq(count_entries(), 1, "a temporary file is left");
    drop_maps(&maps);
}

static void expect_text(const char *text, bool json, const char *wanted)
{
    char *found = NULL;
    size_t size;
    FILE *out = open_memstream(&found, &size);
    cr_assert_not_null(out);
    if (json) {
        ga_put_json(out, text);
    } else {
        ga_put_xml(out, text, 4);
    }
    fclose(out);
    cr_expect_str_eq(found, wanted);
    free(found);
}

Test(heatmap, text_is_escaped_and_cut)
{
    expect_text("<&\"'", false, "&lt;&amp;&quot;&#39;");
    expect_text("abcd", false, "abcd");
    expect_text("abcde", false, "abc\xE2\x80\xA6");
    expect_text("\xE6\x9D\xB1\xE4\xBA\xAC", false, "\xE6\x9D\xB1\xE4\xBA\xAC"); // two wide letters
    expect_text("a\x01\xFF", false, "a\xEF\xBF\xBD\xEF\xBF\xBD");
    expect_text("</script>\"\\", true, "\"\\u003c/script\\u003e\\u0022\\u005c\"");
    expect_text("\n\xC2\x85\xE2\x80\xA8", true, "\"\\ufffd\\ufffd\\u2028\"");
}

Test(heatmap, utf8_refuses_what_is_none)
{
    static const char *const wrong[] = {"\x80", "\xC0\xAF", "\xE2\x82", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *at = wrong[i];
        cr_expect_eq(ga_utf8_next(&at), GA_NOT_UTF8, "case %zu", i);
        cr_expect_eq(at, wrong[i] + 1);
    }
    const char *at = "\xF0\x9F\x99\x82";
    cr_expect_eq(ga_utf8_next(&at), 0x1F642);
    cr_expect_eq(*at, '\0');
}
