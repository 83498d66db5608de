// weights_checksum.c: checksums of rows where they lie one after the other; where a file has a matrix as [in][out],
// sixteen rows side by side, so that memory is read by whole cache lines.
#include "weights_checksum.h"

#include <string.h>

#include "checksum.h"
#include "view_floats.h"

enum { ROWS = 16, COLUMNS = 64 };
_Static_assert(ROWS * sizeof(uint64_t) % GA_CHECKSUM_BLOCK == 0 && COLUMNS * sizeof(float) % GA_CHECKSUM_BLOCK == 0 &&
                   GA_VIEW_RUN * sizeof(float) % GA_CHECKSUM_BLOCK == 0,
               "pieces are whole blocks");

// A role as a matrix.
struct matrix {
    size_t rows, columns, row_stride, column_stride;
};

static struct matrix matrix_of(const struct ga_weight_role *role, const struct ga_weight_view *view)
{
    return role->rank == 2 ? (struct matrix){role->shape[0], role->shape[1], view->row_stride, view->col_stride}
                           : (struct matrix){1, role->shape[0], 0, view->row_stride};
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Adds columns from `first` on of strided rows, the first of them at `row`.
static void add_tile(const struct matrix *matrix, struct ga_view_reader *reader, size_t row, size_t rows, size_t first,
                     struct ga_checksum sums[ROWS])
{
    float tile[ROWS][COLUMNS];
    const size_t columns = smaller(COLUMNS, matrix->columns - first);
    for (size_t c = 0; c < columns; c++) {
        const size_t at = row * matrix->row_stride + (first + c) * matrix->column_stride;
        const struct ga_view_run run = ga_view_read(reader, at, rows, matrix->row_stride);
        for (size_t r = 0; r < rows; r++) {
            memcpy(&tile[r][c], run.floats + r * run.stride, sizeof tile[r][c]); // a NaN keeps its bits
        }
    }
    for (size_t r = 0; r < rows; r++) {
        ga_checksum_add(&sums[r], tile[r], columns * sizeof(float));
    }
}

// Adds a row whose numbers follow each other.
static void add_row(const struct matrix *matrix, struct ga_view_reader *reader, size_t row, struct ga_checksum *sum)
{
    struct ga_view_run run;
    for (size_t first = 0; first < matrix->columns; first += run.count) {
        run = ga_view_read(reader, row * matrix->row_stride + first, matrix->columns - first, 1);
        ga_checksum_add(sum, run.floats, run.count * sizeof(float));
    }
}

// Adds the checksums of up to ROWS rows from `row` on.
static void add_rows(const struct matrix *matrix, struct ga_view_reader *reader, size_t row, struct ga_checksum *all)
{
    const bool is_dense = matrix->column_stride == 1;
    const size_t rows = smaller(ROWS, matrix->rows - row);
    struct ga_checksum sums[ROWS];
    unsigned char ended[ROWS * sizeof(uint64_t)] = {0};
    for (size_t r = 0; r < rows; r++) {
        sums[r] = ga_checksum_start();
        if (is_dense) {
            add_row(matrix, reader, row + r, &sums[r]);
        }
    }
    for (size_t first = 0; !is_dense && first < matrix->columns; first += COLUMNS) {
        add_tile(matrix, reader, row, rows, first, sums);
    }
    for (size_t r = 0; r < rows; r++) {
        ga_write_u64(ended + r * sizeof(uint64_t), ga_checksum_end(&sums[r]));
    }
    ga_checksum_add(all, ended, sizeof ended);
}

uint64_t ga_weights_checksum(const struct ga_model *model, const struct ga_weight_view *roles)
{
    struct ga_checksum all = ga_checksum_start();
    for (size_t i = 0; i < model->n_roles; i++) {
        const struct matrix matrix = matrix_of(&model->roles[i], &roles[i]);
        struct ga_view_reader reader;
        ga_view_reader_start(&reader, &roles[i]);
        for (size_t row = 0; row < matrix.rows; row += ROWS) {
            add_rows(&matrix, &reader, row, &all);
        }
    }
    return ga_checksum_end(&all);
}
