// pack_tables.c: matrices and vectors as they are, rows in fewer bits, sines and cosines of positions, and numbers of
// buckets by distance.
#include "pack_tables.h"

#include <string.h>

#include "bf16.h"
#include "elementary.h"
#include "min_max.h"
#include "rotary_scaling.h"
#include "row_scales.h"
#include "view_floats.h"

void ga_pack_copy(const struct ga_packed_copy *copy, const struct ga_weight_view *view, float *to)
{
    const size_t column = copy->is_vector ? view->row_stride : view->col_stride;
    const size_t row = copy->is_vector ? copy->columns * column : view->row_stride;
    struct ga_view_reader reader;
    ga_view_reader_start(&reader, view);
    for (size_t r = 0; r < copy->rows; r++, to += copy->stride) {
        struct ga_view_run run;
        for (size_t first = 0; first < copy->columns; first += run.count) {
            run = ga_view_read(&reader, r * row + first * column, copy->columns - first, column);
            for (size_t c = 0; c < run.count; c++) {
                const float number = copy->factor * run.floats[c * run.stride];
                to[first + c] = copy->plus != 0.0F ? number + copy->plus : number; // -0 stays -0
            }
        }
    }
}

// The numbers of row r from column `first` on, as many as are read at a time.
static struct ga_view_run next_run(const struct ga_packed_rows *rows, struct ga_view_reader *reader, size_t r,
                                   size_t first)
{
    const struct ga_weight_view *view = reader->view;
    return ga_view_read(reader, r * view->row_stride + first * view->col_stride, rows->columns - first,
                        view->col_stride);
}

static void pack_bf16_row(const struct ga_packed_rows *rows, struct ga_view_reader *reader, size_t r, uint16_t *to)
{
    struct ga_view_run run;
    for (size_t first = 0; first < rows->columns; first += run.count) {
        run = next_run(rows, reader, r, first);
        for (size_t c = 0; c < run.count; c++) {
            to[first + c] = ga_bf16_of_float(run.floats[c * run.stride]);
        }
    }
}

// Returns the scale, as bf16: the largest of those of runs, as their bits are in order, and those of a NaN after all.
static uint16_t pack_int8_row(const struct ga_packed_rows *rows, struct ga_view_reader *reader, size_t r, int8_t *to)
{
    struct ga_view_run run;
    uint16_t scale = 0;
    for (size_t first = 0; first < rows->columns; first += run.count) {
        run = next_run(rows, reader, r, first);
        const uint16_t own = ga_row_scale_of(run.floats, run.stride, run.count);
        scale = own > scale ? own : scale;
    }
    for (size_t first = 0; first < rows->columns; first += run.count) {
        run = next_run(rows, reader, r, first);
        for (size_t c = 0; c < run.count; c++) {
            to[first + c] = ga_row_number_of(run.floats[c * run.stride], scale);
        }
    }
    return scale;
}

void ga_pack_rows(const struct ga_packed_rows *rows, const struct ga_weight_view *view, unsigned char *block)
{
    void *to = block + rows->at, *scales = block + rows->scales_at;
    struct ga_view_reader reader;
    ga_view_reader_start(&reader, view);
    for (size_t r = 0; r < rows->rows; r++) {
        if (rows->dtype == GA_BF16) {
            pack_bf16_row(rows, &reader, r, (uint16_t *)to + r * rows->columns);
        } else {
            ((uint16_t *)scales)[r] = pack_int8_row(rows, &reader, r, (int8_t *)to + r * rows->columns);
        }
    }
}

// The sine and cosine of the angle of a pair at a place, times a factor. power: of theta, for this pair.
static void turn(const struct ga_packed_angles *angles, double power, double factor, size_t place, float *sine_out,
                 float *cosine_out)
{
    double sine, cosine;
    const double at = (double)place;
    ga_sin_cos(angles->layout == GA_SINUSOIDS ? at / power : at * power, &sine, &cosine);
    *sine_out = (float)(sine * factor);
    *cosine_out = (float)(cosine * factor);
}

// What the places of a pair are multiplied by, or divided by in sinusoids.
static double power_of(const struct ga_packed_angles *angles, size_t pair)
{
    const double exponent = 2.0 * (double)pair / (double)angles->width;
    return angles->layout == GA_SINUSOIDS ? ga_pow(angles->theta, exponent) : ga_rotary_speed(angles, pair);
}

void ga_pack_angles(const struct ga_packed_angles *angles, float *to)
{
    const bool is_split = angles->layout == GA_ROTARY_HALF_SPLIT, is_rotary = angles->layout != GA_SINUSOIDS;
    const double factor = is_rotary ? ga_rotary_factor(angles) : 1.0;
    for (size_t pair = 0; 2 * pair < angles->width; pair++) {
        const double power = power_of(angles, pair);
        const size_t first = is_split ? pair : 2 * pair, second = is_split ? pair + angles->width / 2 : first + 1;
        for (size_t place = 0; place < angles->places; place++) {
            float *row = to + place * angles->width, sine, cosine;
            turn(angles, power, factor, place, &sine, &cosine);
            row[first] = is_rotary ? cosine : sine;
            if (second < angles->width) {
                row[second] = is_rotary ? sine : cosine;
            }
        }
    }
}

// The bucket of the keys at a place.
static size_t bucket_at(const struct ga_packed_buckets *buckets, size_t place)
{
    const bool is_later = place > buckets->own;
    const size_t later = buckets->has_later ? place - buckets->own : 0;
    const size_t distance = is_later ? later : buckets->own - place;
    size_t bucket = 0;
    while (bucket + 1 < buckets->side && buckets->starts[bucket + 1] <= distance) {
        bucket++;
    }
    return bucket + (is_later && buckets->has_later ? buckets->side : 0);
}

void ga_pack_buckets(const struct ga_packed_buckets *buckets, const struct ga_weight_view *view, float *to)
{
    struct ga_view_reader reader;
    ga_view_reader_start(&reader, view);
    for (size_t place = 0; place < buckets->span; place++) {
        const size_t row = bucket_at(buckets, place) * view->row_stride;
        for (size_t head = 0; head < buckets->heads; head++) {
            to[head * buckets->span + place] = ga_view_number(&reader, row + head * view->col_stride) * buckets->factor;
        }
    }
}
