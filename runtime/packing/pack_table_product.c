// pack_table_product.c: the rows of a table through a norm and a linear, laid out as products of attention read keys
// and queries. Sums are in double precision and rounded once.
//
// A LayerNorm makes (x - mean) inverse gain + bias of a number x. A sum of weights w times these is
// inverse (sum of w gain x - mean sum of w gain) + sum of w bias, so a row needs no copy of its numbers after the norm.
#include "pack_table_product.h"

#include <string.h>

#include "elementary.h"
#include "min_max.h"
#include "view_floats.h"

enum {
    TOGETHER = 8, // rows of the table for which one pass over the weights computes
    OUTPUTS = 8,  // rows of the weight for which rows of the table are read once
    RUN = 32,     // numbers of a row at a time
};

// Rows of the table from `first` on, `count` of them; those after the last one are the first one again.
struct rows {
    size_t first, count;
    double mean[TOGETHER], inverse[TOGETHER]; // 0 and 1 without a norm
};

// Of one row of the weight, up to some column: its sums of gains times each row, of gains, and of biases.
struct sums {
    double of[TOGETHER], gains, biases;
};

// The same columns of what is multiplied.
struct columns {
    size_t first, count;
    float rows[TOGETHER][RUN], gains[RUN], biases[RUN];
};

static void copy_run(const struct ga_weight_view *view, size_t at, size_t count, size_t stride, float *to)
{
    struct ga_view_reader reader;
    ga_view_reader_start(&reader, view);
    const struct ga_view_run run = ga_view_read(&reader, at, count, stride);
    for (size_t i = 0; i < count; i++) {
        to[i] = run.floats[i * run.stride];
    }
}

static void take_norm(const struct ga_packed_table_product *product, const struct ga_weight_view *table,
                      struct rows *rows, size_t r)
{
    const size_t row = (rows->first + r) * table->row_stride;
    struct ga_view_reader reader;
    double sum = 0.0, squares = 0.0;
    ga_view_reader_start(&reader, table);
    for (size_t c = 0; c < product->columns; c++) {
        sum += (double)ga_view_number(&reader, row + c * table->col_stride);
    }
    const double mean = sum / (double)product->columns;
    for (size_t c = 0; c < product->columns; c++) {
        const double away = (double)ga_view_number(&reader, row + c * table->col_stride) - mean;
        squares += away * away;
    }
    rows->mean[r] = mean;
    rows->inverse[r] = ga_pow(squares / (double)product->columns + product->eps, -0.5);
}

static struct rows take_rows(const struct ga_packed_table_product *product, const struct ga_weight_view *table,
                             size_t first)
{
    struct rows rows = {.first = first, .count = ga_min(TOGETHER, product->rows - first)};
    for (size_t r = 0; r < TOGETHER; r++) {
        rows.inverse[r] = 1.0;
        if (product->norm_weight != GA_NO_ROLE && r < rows.count) {
            take_norm(product, table, &rows, r);
        }
    }
    return rows;
}

// Numbers of a vector of `shared` from `first` on; the usual one where there is no such role.
static void copy_vector(const struct ga_weight_view *shared, size_t role, size_t first, size_t count, float usual,
                        float *to)
{
    for (size_t i = 0; role == GA_NO_ROLE && i < count; i++) {
        to[i] = usual;
    }
    if (role != GA_NO_ROLE) {
        copy_run(&shared[role], first * shared[role].row_stride, count, shared[role].row_stride, to);
    }
}

static void take_columns(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                         const struct rows *rows, struct columns *columns)
{
    const struct ga_weight_view *table = &shared[product->table];
    const size_t first = columns->first, count = columns->count;
    for (size_t r = 0; r < TOGETHER; r++) {
        const size_t row = rows->first + (r < rows->count ? r : 0);
        copy_run(table, row * table->row_stride + first * table->col_stride, count, table->col_stride,
                 columns->rows[r]);
    }
    copy_vector(shared, product->norm_weight, first, count, 1.0F, columns->gains);
    copy_vector(shared, product->norm_bias, first, count, 0.0F, columns->biases);
}

static void add_columns(const struct columns *columns, const float *weights, struct sums *sums)
{
    const float(*const at)[RUN] = columns->rows;
    double *const of = sums->of; // summed in registers, which an array would not be
    double s0 = of[0], s1 = of[1], s2 = of[2], s3 = of[3], s4 = of[4], s5 = of[5], s6 = of[6], s7 = of[7];
    for (size_t c = 0; c < columns->count; c++) {
        const double w = (double)weights[c], gain = w * (double)columns->gains[c];
        sums->gains += gain;
        sums->biases += w * (double)columns->biases[c];
        s0 += gain * (double)at[0][c];
        s1 += gain * (double)at[1][c];
        s2 += gain * (double)at[2][c];
        s3 += gain * (double)at[3][c];
        s4 += gain * (double)at[4][c];
        s5 += gain * (double)at[5][c];
        s6 += gain * (double)at[6][c];
        s7 += gain * (double)at[7][c];
    }
    memcpy(of, (const double[TOGETHER]){s0, s1, s2, s3, s4, s5, s6, s7}, sizeof sums->of);
}

// sums [count]: rows of the weight from `output` on, times each row of the table.
static void multiply(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                     const struct ga_weight_view *weight, const struct rows *rows, size_t output, size_t count,
                     struct sums *sums)
{
    struct columns columns;
    for (columns.first = 0; columns.first < product->columns; columns.first += columns.count) {
        columns.count = ga_min(RUN, product->columns - columns.first);
        take_columns(product, shared, rows, &columns);
        for (size_t i = 0; i < count; i++) {
            const size_t at = (output + i) * weight->row_stride + columns.first * weight->col_stride;
            float weights[RUN];
            copy_run(weight, at, columns.count, weight->col_stride, weights);
            add_columns(&columns, weights, &sums[i]);
        }
    }
}

static float *place_of(const struct ga_packed_table_product *product, size_t output, size_t row, float *to)
{
    return to + output / product->width * product->head_floats + row / product->together * product->run_floats +
           row % product->together * product->row_stride + output % product->width * product->column_stride;
}

// Writes the numbers of one output.
static void store(const struct ga_packed_table_product *product, const struct ga_weight_view *roles,
                  const struct rows *rows, size_t output, const struct sums *sums, float *to)
{
    float bias;
    copy_vector(roles, product->bias, output, 1, 0.0F, &bias);
    for (size_t r = 0; r < rows->count; r++) {
        const double sum = rows->inverse[r] * (sums->of[r] - rows->mean[r] * sums->gains) + sums->biases;
        *place_of(product, output, rows->first + r, to) = (float)((sum + (double)bias) * (double)product->factor);
    }
}

void ga_pack_table_product(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                           const struct ga_weight_view *roles, float *to)
{
    const size_t outputs = product->heads * product->width;
    for (size_t first = 0; first < product->rows; first += TOGETHER) {
        const struct rows rows = take_rows(product, &shared[product->table], first);
        for (size_t output = 0; output < outputs; output += OUTPUTS) {
            const size_t count = ga_min(OUTPUTS, outputs - output);
            struct sums sums[OUTPUTS] = {{{0}, 0, 0}};
            multiply(product, shared, &roles[product->weight], &rows, output, count, sums);
            for (size_t i = 0; i < count; i++) {
                store(product, roles, &rows, output + i, &sums[i], to);
            }
        }
    }
}
