// pack_table_product.c: the rows of a table through a norm and a linear, laid out as products of attention read keys
// and queries. Sums are in double precision and rounded once.
//
// A LayerNorm makes (x - mean) inverse gain + bias of a number x. A sum of weights w times these is
// inverse (sum of w gain x - mean sum of w gain) + sum of w bias, so a row needs no copy of its numbers after the norm.
#include "pack_table_product.h"

#include "elementary.h"
#include "min_max.h"

enum { TOGETHER = 8 }; // rows of the table for which one pass over the weights computes

// Rows of the table from `first` on, `count` of them; those after the last one are the first one again.
struct rows {
    size_t first, count, stride; // from a number of a row to the next
    const float *at[TOGETHER];
    double mean[TOGETHER], inverse[TOGETHER]; // 0 and 1 without a norm
};

static void take_norm(const struct ga_packed_table_product *product, struct rows *rows, size_t r)
{
    const float *row = rows->at[r];
    double sum = 0.0, squares = 0.0;
    for (size_t c = 0; c < product->columns; c++) {
        sum += (double)row[c * rows->stride];
    }
    const double mean = sum / (double)product->columns;
    for (size_t c = 0; c < product->columns; c++) {
        const double away = (double)row[c * rows->stride] - mean;
        squares += away * away;
    }
    rows->mean[r] = mean;
    rows->inverse[r] = ga_pow(squares / (double)product->columns + product->eps, -0.5);
}

static struct rows take_rows(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                             size_t first)
{
    const struct ga_weight_view *table = &shared[product->table];
    struct rows rows = {.first = first, .count = ga_min(TOGETHER, product->rows - first), .stride = table->col_stride};
    for (size_t r = 0; r < TOGETHER; r++) {
        rows.at[r] = table->data + (first + (r < rows.count ? r : 0)) * table->row_stride;
        rows.inverse[r] = 1.0;
        if (product->norm_weight != GA_NO_ROLE) {
            take_norm(product, &rows, r);
        }
    }
    return rows;
}

// The number of a vector of `shared`; the usual one where there is no such role.
static double number_of(const struct ga_weight_view *shared, size_t role, size_t c, double usual)
{
    return role == GA_NO_ROLE ? usual : (double)shared[role].data[c * shared[role].row_stride];
}

// sums[TOGETHER]: a row of the weight times each row after the norm.
static void multiply(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                     const float *weights, size_t stride, const struct rows *rows, double *sums)
{
    const float *const *at = rows->at;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0; // in registers, which an array would not be
    double gains = 0, biases = 0;
    for (size_t c = 0; c < product->columns; c++) {
        const double w = (double)weights[c * stride], gain = w * number_of(shared, product->norm_weight, c, 1.0);
        const size_t i = c * rows->stride;
        gains += gain;
        biases += w * number_of(shared, product->norm_bias, c, 0.0);
        s0 += gain * (double)at[0][i];
        s1 += gain * (double)at[1][i];
        s2 += gain * (double)at[2][i];
        s3 += gain * (double)at[3][i];
        s4 += gain * (double)at[4][i];
        s5 += gain * (double)at[5][i];
        s6 += gain * (double)at[6][i];
        s7 += gain * (double)at[7][i];
    }
    const double all[TOGETHER] = {s0, s1, s2, s3, s4, s5, s6, s7};
    for (size_t r = 0; r < TOGETHER; r++) {
        sums[r] = rows->inverse[r] * (all[r] - rows->mean[r] * gains) + biases;
    }
}

static float *place_of(const struct ga_packed_table_product *product, size_t output, size_t row, float *to)
{
    return to + output / product->width * product->head_floats + row / product->together * product->run_floats +
           row % product->together * product->row_stride + output % product->width * product->column_stride;
}

void ga_pack_table_product(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                           const struct ga_weight_view *roles, float *to)
{
    const struct ga_weight_view *weight = &roles[product->weight];
    for (size_t first = 0; first < product->rows; first += TOGETHER) {
        const struct rows rows = take_rows(product, shared, first);
        for (size_t output = 0; output < product->heads * product->width; output++) {
            double sums[TOGETHER];
            multiply(product, shared, weight->data + output * weight->row_stride, weight->col_stride, &rows, sums);
            const double bias = number_of(roles, product->bias, output, 0.0);
            for (size_t r = 0; r < rows.count; r++) {
                *place_of(product, output, first + r, to) = (float)((sums[r] + bias) * (double)product->factor);
            }
        }
    }
}
