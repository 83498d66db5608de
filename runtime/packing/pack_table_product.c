// pack_table_product.c: the rows of a table through a norm and a linear, laid out as products of attention read keys
// and queries. Sums are in double precision; those of a long row are rounded to floats after each chunk of it.
#include "pack_table_product.h"

#include "elementary.h"
#include "min_max.h"

enum { TOGETHER = 8, CHUNK = 256 }; // rows, and numbers of a row, that pass by the weights together

// Some rows of the table, from `first` on, numbers from `from` on of each; the rows' numbers lie side by side.
struct chunk {
    size_t first, rows, from, count;
    double numbers[CHUNK * TOGETHER];
};

// What a LayerNorm does to a row, but for its weights.
struct row_norm {
    double mean, inverse;
};

static struct row_norm norm_of(const struct ga_packed_table_product *product, const float *row, size_t stride)
{
    double sum = 0.0, squares = 0.0;
    for (size_t c = 0; c < product->columns; c++) {
        sum += (double)row[c * stride];
    }
    const double mean = sum / (double)product->columns;
    for (size_t c = 0; c < product->columns; c++) {
        const double away = (double)row[c * stride] - mean;
        squares += away * away;
    }
    return (struct row_norm){mean, ga_pow(squares / (double)product->columns + product->eps, -0.5)};
}

// A chunk's numbers of its r-th row, after the norm.
static void take_row(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                     struct chunk *chunk, size_t r)
{
    const struct ga_weight_view *table = &shared[product->table];
    const size_t stride = table->col_stride;
    const float *row = table->data + (chunk->first + r) * table->row_stride, *from = row + chunk->from * stride;
    double *to = chunk->numbers + r;
    if (product->norm_weight == GA_NO_ROLE) {
        for (size_t c = 0; c < chunk->count; c++) {
            to[c * TOGETHER] = (double)from[c * stride];
        }
        return;
    }
    const struct ga_weight_view *weight = &shared[product->norm_weight], *bias = &shared[product->norm_bias];
    const struct row_norm norm = norm_of(product, row, stride);
    for (size_t c = 0; c < chunk->count; c++) {
        const double factor = (double)weight->data[(chunk->from + c) * weight->row_stride];
        to[c * TOGETHER] = ((double)from[c * stride] - norm.mean) * norm.inverse * factor +
                           (double)bias->data[(chunk->from + c) * bias->row_stride];
    }
}

// sums[TOGETHER]: a row of the weight times each row of a chunk.
static void multiply(const struct ga_weight_view *weight, size_t output, const struct chunk *chunk, double *sums)
{
    const float *from = weight->data + output * weight->row_stride + chunk->from * weight->col_stride;
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0; // in registers, which an array would not be
    for (size_t c = 0; c < chunk->count; c++) {
        const double w = (double)from[c * weight->col_stride], *numbers = chunk->numbers + c * TOGETHER;
        s0 += w * numbers[0];
        s1 += w * numbers[1];
        s2 += w * numbers[2];
        s3 += w * numbers[3];
        s4 += w * numbers[4];
        s5 += w * numbers[5];
        s6 += w * numbers[6];
        s7 += w * numbers[7];
    }
    const double all[TOGETHER] = {s0, s1, s2, s3, s4, s5, s6, s7};
    for (size_t r = 0; r < TOGETHER; r++) {
        sums[r] = all[r];
    }
}

static float *place_of(const struct ga_packed_table_product *product, size_t output, size_t row, float *to)
{
    return to + output / product->width * product->head_floats + row / product->together * product->run_floats +
           row % product->together * product->row_stride + output % product->width * product->column_stride;
}

// The outputs of a chunk's rows: those of the columns before it are there already, and the bias is added first.
static void add_chunk(const struct ga_packed_table_product *product, const struct ga_weight_view *roles,
                      const struct chunk *chunk, float *to)
{
    const struct ga_weight_view *bias = product->bias != GA_NO_ROLE ? &roles[product->bias] : NULL;
    for (size_t output = 0; output < product->heads * product->width; output++) {
        const double before = chunk->from == 0 && bias ? (double)bias->data[output * bias->row_stride] : 0.0;
        double sums[TOGETHER];
        multiply(&roles[product->weight], output, chunk, sums);
        for (size_t r = 0; r < chunk->rows; r++) {
            float *place = place_of(product, output, chunk->first + r, to);
            *place = (float)((double)*place + (sums[r] + before) * (double)product->factor);
        }
    }
}

void ga_pack_table_product(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                           const struct ga_weight_view *roles, float *to)
{
    struct chunk chunk = {.numbers = {0.0}};
    for (; chunk.first < product->rows; chunk.first += TOGETHER) {
        chunk.rows = ga_min(TOGETHER, product->rows - chunk.first);
        for (chunk.from = 0; chunk.from < product->columns; chunk.from += CHUNK) {
            chunk.count = ga_min(CHUNK, product->columns - chunk.from);
            for (size_t r = 0; r < chunk.rows; r++) {
                take_row(product, shared, &chunk, r);
            }
            add_chunk(product, roles, &chunk, to);
        }
    }
}
