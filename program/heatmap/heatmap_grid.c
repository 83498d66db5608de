// heatmap_grid.c: matrices folded into as many cells as a picture can show, and the range of their values.
// Knows no pixel and no colour.
#include <math.h>
#include <stdlib.h>

#include "heatmap_parts.h"

enum {
    MOST_CELLS = 140000, // of all panels together: a file of a megabyte or so
    MOST_ACROSS = 256    // cells along one side of a panel
};

static size_t divide_up(size_t count, size_t by)
{
    return (count + by - 1) / by;
}

// The smallest bins that keep both limits, square ones for square matrices.
static void choose_bins(const struct ga_heatmap *map, struct ga_grid *grid)
{
    const size_t most = MOST_CELLS / (map->n_panels < MOST_CELLS ? map->n_panels : MOST_CELLS);
    grid->row_bin = divide_up(map->rows, MOST_ACROSS);
    grid->col_bin = divide_up(map->cols, MOST_ACROSS);
    for (;;) {
        size_t rows = grid->rows = divide_up(map->rows, grid->row_bin);
        size_t cols = grid->cols = divide_up(map->cols, grid->col_bin);
        if (rows * cols <= most) {
            return;
        }
        grid->row_bin += rows >= cols;
        grid->col_bin += cols >= rows;
    }
}

struct bin {
    double sum;
    size_t rows, cells, masked;
    bool has_nan;
};

static struct bin add_up(const struct ga_heatmap *map, const struct ga_grid *grid, const struct ga_heatmap_panel *panel,
                         size_t row, size_t col)
{
    struct bin bin = {0};
    for (size_t i = row * grid->row_bin; i < (row + 1) * grid->row_bin && i < map->rows; i++) {
        bin.rows++;
        for (size_t j = col * grid->col_bin; j < (col + 1) * grid->col_bin && j < map->cols; j++) {
            float value = panel->values[i * panel->row_stride + j];
            bin.cells++;
            bin.masked += panel->masked && panel->masked[i * map->cols + j];
            bin.has_nan |= !isfinite(value);
            bin.sum += value > 0.0f ? (double)value : 0.0;
        }
    }
    return bin;
}

static enum ga_cell state_of(const struct bin *bin)
{
    if (bin->has_nan) {
        return GA_CELL_NAN;
    }
    return bin->masked < bin->cells ? GA_CELL_SEEN : bin->sum > 0.0 ? GA_CELL_STRIPED : GA_CELL_MASKED;
}

// The largest value, rounded up so that parts of it are short numbers.
static double round_peak(double largest)
{
    static const double steps[] = {1.0, 1.2, 1.6, 2.0, 2.4, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0};
    if (!(largest > 0.0 && isfinite(largest))) {
        return 1.0;
    }
    double times = 1.0, parts = 1.0; // powers of ten, which double precision holds exactly up to the 22nd
    while (times * 10.0 <= largest) {
        times *= 10.0;
    }
    while (times / parts > largest) {
        parts *= 10.0;
    }
    const double unit = times / parts;
    size_t i = 0;
    while (i + 1 < sizeof steps / sizeof steps[0] && steps[i] * unit < largest * (1.0 - 1e-6)) {
        i++;
    }
    return steps[i] * unit;
}

static void find_range(const struct ga_heatmap *map, struct ga_grid *grid)
{
    const double uneven = 8.0; // a peak so many times the mean leaves a linear scale pale
    size_t count = grid->rows * grid->cols * map->n_panels, shown = 0;
    double largest = 0.0, sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        bool coloured = grid->states[i] == GA_CELL_SEEN || grid->states[i] == GA_CELL_STRIPED;
        double value = coloured ? (double)grid->values[i] : 0.0;
        largest = fmax(largest, value);
        sum += value;
        shown += coloured;
        grid->has[grid->states[i]] = true;
    }
    grid->peak = round_peak(largest);
    grid->root = largest * (double)shown > uneven * sum;
}

double ga_grid_place(const struct ga_grid *grid, double value)
{
    double part = fmin(fmax(value / grid->peak, 0.0), 1.0);
    return grid->root ? sqrt(part) : part;
}

static uint8_t look_of(const struct ga_grid *grid, size_t i)
{
    if (grid->states[i] == GA_CELL_MASKED || grid->states[i] == GA_CELL_NAN) {
        return (uint8_t)(GA_LEVELS + grid->states[i]);
    }
    int level = (int)(ga_grid_place(grid, (double)grid->values[i]) * (double)GA_LEVELS);
    return (uint8_t)(level < GA_LEVELS ? level : GA_LEVELS - 1);
}

static void fold(const struct ga_heatmap *map, struct ga_grid *grid)
{
    size_t count = grid->rows * grid->cols, at = 0;
    for (size_t p = 0; p < map->n_panels; p++) {
        for (size_t i = 0; i < count; i++, at++) {
            struct bin bin = add_up(map, grid, &map->panels[p], i / grid->cols, i % grid->cols);
            grid->states[at] = (uint8_t)state_of(&bin);
            grid->values[at] = bin.has_nan ? 0.0f : (float)(bin.sum / (double)bin.rows);
        }
    }
    find_range(map, grid);
    for (size_t i = 0; i < at; i++) {
        grid->looks[i] = look_of(grid, i);
    }
}

enum ga_status ga_grid_make(const struct ga_heatmap *map, struct ga_grid *grid_out)
{
    struct ga_grid *grid = grid_out;
    *grid = (struct ga_grid){0};
    choose_bins(map, grid);
    size_t count = grid->rows * grid->cols * map->n_panels;
    grid->values = calloc(count, sizeof *grid->values);
    grid->states = calloc(count, sizeof *grid->states);
    grid->looks = calloc(count, sizeof *grid->looks);
    if (!grid->values || !grid->states || !grid->looks) {
        return GA_MEMORY;
    }
    fold(map, grid);
    return GA_OK;
}

void ga_grid_free(struct ga_grid *grid)
{
    free(grid->values);
    free(grid->states);
    free(grid->looks);
    *grid = (struct ga_grid){0};
}
