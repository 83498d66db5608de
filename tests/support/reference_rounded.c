// reference_rounded.c: a row and a column at a time, sum by sum. Slow, as it rounds each number where it is read.
#include "reference_rounded.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "rounding.h"

enum { DEPTH_STEP = 4 }; // running sums are whole ones of it

// A part of a linear's rows and of a column of its weight, as one running sum takes them.
struct part {
    const float *row, *weight;
    size_t stride; // from a weight to the next
    size_t count;
};

// -- Integers --------------------------------------------------------------------------------------------------------

// How an arithmetic of integers rounds: steps of a row's part for one sum, from zero to its largest magnitude or, by
// range, from its least number to its greatest; and the most products of one sum.
static const struct rule {
    float row_steps;
    bool by_range;
    size_t sum;
} rules[] = {[GA_ARITHMETIC_I16] = {8191, false, 256}, [GA_ARITHMETIC_INT8] = {254, true, 256}};

// What a row's numbers are multiplied by to become steps; NaN where one is infinite or NaN.
static float steps_per_unit(const struct rule *rule, const struct part *part)
{
    const float most = 0x1p126F;
    float below = 0, above = 0;
    for (size_t i = 0; i < part->count; i++) {
        if (!isfinite(part->row[i])) {
            return NAN;
        }
        below = -part->row[i] > below ? -part->row[i] : below;
        above = part->row[i] > above ? part->row[i] : above;
    }
    const float range = rule->by_range ? below + above : fmaxf(below, above);
    return range > rule->row_steps / most ? rule->row_steps / range : most;
}

// What one step of the weights is worth.
static float weight_step(enum ga_arithmetic arithmetic, const struct part *part)
{
    double largest = 0, total = 0;
    for (size_t i = 0; i < part->count; i++) {
        const double size = fabs((double)part->weight[i * part->stride]);
        largest = fmax(largest, size);
        total += size;
    }
    const double step = arithmetic == GA_ARITHMETIC_I16 ? fmax(largest / 32767, total / 262048) : largest / 127;
    return !isfinite(total) ? NAN : (float)fmax(step, 0x1p-126);
}

// One running sum of products of integers as a number.
static float sum_of_integers(enum ga_arithmetic arithmetic, const struct part *part)
{
    const float steps = steps_per_unit(&rules[arithmetic], part), step = weight_step(arithmetic, part);
    int64_t sum = 0;
    for (size_t i = 0; i < part->count && isfinite(steps) && isfinite(step); i++) {
        const double weight = (double)part->weight[i * part->stride];
        sum += (int64_t)rintf(part->row[i] * steps) * (int64_t)round(weight / (double)step);
    }
    return (float)(int32_t)sum * (1 / steps * step);
}

// -- bf16 ------------------------------------------------------------------------------------------------------------

// The nearest number of 8 bits of significand, ties to even; what is smaller than 2^-56 is 0. Doubles round to the
// nearest themselves: added to a number 2^45 times as large, the last bit of theirs is the eighth of x.
static float rounded_to_bf16(float x)
{
    const double last_of_eight = 1.5 * 0x1p45;
    const uint32_t exponent = 0x7f800000;
    float power; // of two, from which x is less than twice
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits &= exponent;
    memcpy(&power, &bits, sizeof power);
    const double beside = (double)power * last_of_eight;
    return !isfinite(x) ? x : power < 0x1p-56F ? 0 : (float)(((double)x + beside) - beside);
}

// One running sum of products, one after the other.
static float sum_of_bf16(const struct part *part)
{
    float sum = 0;
    for (size_t i = 0; i < part->count; i++) {
        sum = fmaf(rounded_to_bf16(part->row[i]), rounded_to_bf16(part->weight[i * part->stride]), sum);
    }
    return sum;
}

// -- Rows of 8 bits by weights in groups -----------------------------------------------------------------------------

static const struct rule in_groups = {127, false, 32};

// One group. A float holds each weight, and a double every sum of such weights times whole numbers.
static float sum_of_group(const struct part *part)
{
    const float steps = steps_per_unit(&in_groups, part);
    double sum = 0;
    for (size_t i = 0; i < part->count && isfinite(steps); i++) {
        sum += (double)part->weight[i * part->stride] * (double)rintf(part->row[i] * steps);
    }
    return (float)sum * (1 / steps);
}

// -- Linears ---------------------------------------------------------------------------------------------------------

struct reference_rounding reference_rounding(const struct ga_model *model, enum ga_arithmetic arithmetic)
{
    const bool keeps_groups = model->weights_dtype == GA_STORAGE_INT8 || model->weights_dtype == GA_STORAGE_INT4;
    return (struct reference_rounding){arithmetic, keeps_groups};
}

double reference_step(const struct ga_model *model)
{
    const double of_bf16 = 0x1p-8, of_cached = 1.0 / 127;
    const double steps[GA_ARITHMETICS] = {[GA_ARITHMETIC_BF16] = of_bf16,
                                          [GA_ARITHMETIC_I16] = 1 / (double)rules[GA_ARITHMETIC_I16].row_steps,
                                          [GA_ARITHMETIC_INT8] = 2 / (double)rules[GA_ARITHMETIC_INT8].row_steps};
    double step = steps[model->attention_arithmetic];
    for (size_t l = 0; l < GA_LINEARS; l++) {
        step = fmax(step, steps[model->arithmetic[l]]);
    }
    const bool caches = model->cache > 0;
    return fmax(step, caches && model->cache_dtype == GA_I8     ? of_cached
                      : caches && model->cache_dtype == GA_BF16 ? of_bf16
                                                                : 0);
}

// Products of a running sum at most.
static size_t longest_sum(enum ga_arithmetic arithmetic)
{
    const size_t of_bf16 = 128;
    return arithmetic == GA_ARITHMETIC_BF16 ? of_bf16 : rules[arithmetic].sum;
}

static float one_sum(enum ga_arithmetic arithmetic, const struct part *part)
{
    return arithmetic == GA_ARITHMETIC_BF16 ? sum_of_bf16(part) : sum_of_integers(arithmetic, part);
}

// The same as below, group by group.
static void project_groups(const struct ga_weight_view *weight, const struct ga_weight_view *bias, size_t count,
                           size_t n_in, size_t n_out, const float *in, float *out)
{
    for (size_t i = 0; i < count * n_out; i++) {
        const size_t row = i / n_out, o = i % n_out;
        const float *column = weight->data + o * weight->row_stride;
        out[i] = bias ? bias->data[o * bias->row_stride] : 0;
        for (size_t from = 0; from < n_in; from += in_groups.sum) {
            const size_t left = n_in - from;
            const struct part part = {in + row * n_in + from, column + from * weight->col_stride, weight->col_stride,
                                      left < in_groups.sum ? left : in_groups.sum};
            out[i] += sum_of_group(&part);
        }
    }
}

void reference_rounded_project(struct reference_rounding rounding, const struct ga_weight_view *weight,
                               const struct ga_weight_view *bias, size_t count, size_t n_in, size_t n_out,
                               const float *in, float *out)
{
    const enum ga_arithmetic arithmetic = rounding.arithmetic;
    if (rounding.in_groups) {
        project_groups(weight, bias, count, n_in, n_out, in, out);
        return;
    }
    const size_t groups = (n_in + DEPTH_STEP - 1) / DEPTH_STEP, most = longest_sum(arithmetic);
    const size_t sums = (groups * DEPTH_STEP + most - 1) / most, short_sum = groups / sums;
    for (size_t o = 0; o < n_out; o++) {
        const float *column = weight->data + o * weight->row_stride;
        for (size_t s = 0, from = 0; s < sums; s++) {
            const size_t padded = (short_sum + (s < groups % sums)) * DEPTH_STEP;
            const size_t length = from + padded < n_in ? padded : n_in - from;
            for (size_t i = 0; i < count; i++) {
                float *y = &out[i * n_out + o];
                const float before = s > 0 ? *y : bias ? bias->data[o * bias->row_stride] : 0;
                const struct part part = {in + i * n_in + from, column + from * weight->col_stride, weight->col_stride,
                                          length};
                *y = one_sum(arithmetic, &part) + before;
            }
            from += padded;
        }
    }
}

void reference_rounded_row(enum ga_arithmetic arithmetic, size_t n, float *row)
{
    const size_t groups = (n + DEPTH_STEP - 1) / DEPTH_STEP, most = longest_sum(arithmetic);
    const size_t sums = (groups * DEPTH_STEP + most - 1) / most, short_sum = groups / sums;
    for (size_t s = 0, from = 0; s < sums; s++) {
        const size_t padded = (short_sum + (s < groups % sums)) * DEPTH_STEP;
        const size_t end = from + padded < n ? from + padded : n;
        const struct part part = {NULL, row + from, 1, end - from};
        const float step = arithmetic == GA_ARITHMETIC_INT8 ? weight_step(arithmetic, &part) : 1;
        for (; from < end; from++) {
            row[from] = arithmetic == GA_ARITHMETIC_BF16 ? rounded_to_bf16(row[from])
                        : isfinite(step)                 ? (float)(int)round((double)row[from] / (double)step) * step
                                                         : NAN;
        }
    }
}

// -- Attention -------------------------------------------------------------------------------------------------------

enum { KEYS_OF_A_SUM = 256 }; // at most

// How an arithmetic of integers rounds keys and values, and the most steps of a query that takes the share of weights,
// or of a softmax weight, and of all of them; a query of int8 is rounded as a row is.
static const struct attends {
    struct rule key;
    float largest, all;
} attends[] = {[GA_ARITHMETIC_I16] = {{8191, false, 256}, 32767, 262048},
               [GA_ARITHMETIC_INT8] = {{127, false, 256}, 255, INFINITY}};

// What one step is worth of the share that weights have in a product of integers.
static float share_step(enum ga_arithmetic arithmetic, const struct part *part)
{
    const float largest = attends[arithmetic].largest, all = attends[arithmetic].all, least = 0x1p-126F;
    float most = 0, total = 0;
    for (size_t i = 0; i < part->count; i++) {
        most = fmaxf(most, fabsf(part->row[i]));
        total += fabsf(part->row[i]);
    }
    return isfinite(total) ? fmaxf(fmaxf(most / largest, total / all), least) : NAN;
}

// What makes steps of a key's or a value's numbers, and what a step is worth; NaN where a number is not finite.
struct scale {
    float per_unit, step;
};

static struct scale scale_of(struct reference_attends as, const float *row, size_t count)
{
    const struct part part = {row, NULL, 0, count};
    const bool is_bf16 = as.arithmetic == GA_ARITHMETIC_BF16;
    if (as.kept) {
        const float step = rounding_step(count, row);
        return (struct scale){1 / step, step};
    }
    const float steps = steps_per_unit(&attends[is_bf16 ? GA_ARITHMETIC_I16 : as.arithmetic].key, &part);
    return is_bf16 && isfinite(steps) ? (struct scale){1, 1} : (struct scale){steps, 1 / steps};
}

// A sum of products: the part's row has the share of weights; its weights are a key's numbers, or those of a column of
// values with a scale for each.
static float attended_integers(struct reference_attends as, const struct part *part, const struct scale *scales)
{
    const bool by_range = !scales && rules[as.arithmetic].by_range;
    const float per_unit = by_range ? steps_per_unit(&rules[as.arithmetic], part) : 1 / share_step(as.arithmetic, part);
    const float step = by_range ? 1 / per_unit : share_step(as.arithmetic, part);
    const struct scale key = scales ? (struct scale){1, 1} : scale_of(as, part->weight, part->count);
    int64_t sum = 0;
    for (size_t i = 0; i < part->count && isfinite(step) && isfinite(key.step); i++) {
        const float number = part->weight[i] * (scales ? scales[i].per_unit : key.per_unit);
        sum += (int64_t)rintf(part->row[i] * per_unit) * (int64_t)rintf(number);
    }
    return (float)(int32_t)sum * (scales ? step : step * key.step);
}

struct reference_attends reference_attends(const struct ga_model *model)
{
    const bool is_int8 = model->attention_arithmetic == GA_ARITHMETIC_INT8;
    return (struct reference_attends){model->attention_arithmetic,
                                      is_int8 && model->cache > 0 && model->cache_dtype == GA_I8};
}

float reference_rounded_score(struct reference_attends as, size_t count, const float *q, const float *k)
{
    const struct part part = {q, k, 1, count};
    return as.arithmetic == GA_ARITHMETIC_BF16 ? sum_of_bf16(&part) : attended_integers(as, &part, NULL);
}

void reference_rounded_mix(struct reference_attends as, const float *weights, const float *v, size_t stride,
                           const bool *seen, size_t keys, size_t d_v, float *out)
{
    memset(out, 0, d_v * sizeof *out);
    const bool is_bf16 = as.arithmetic == GA_ARITHMETIC_BF16;
    const size_t sum = is_bf16 ? KEYS_OF_A_SUM / 2 : KEYS_OF_A_SUM;
    for (size_t from = 0; from < keys; from += sum) {
        const size_t count = keys - from < sum ? keys - from : sum;
        float shares[KEYS_OF_A_SUM];
        struct scale scales[KEYS_OF_A_SUM];
        for (size_t j = 0; j < count; j++) {
            scales[j] = scale_of(as, v + (from + j) * stride, d_v);
            shares[j] = seen[from + j] ? weights[from + j] * scales[j].step : 0;
        }
        for (size_t d = 0; d < d_v; d++) {
            float column[KEYS_OF_A_SUM];
            for (size_t j = 0; j < count; j++) { // what is no number says so in its key's share
                column[j] = isfinite(scales[j].step) ? v[(from + j) * stride + d] : 0;
            }
            const struct part part = {shares, column, 1, count};
            out[d] += is_bf16 ? sum_of_bf16(&part) : attended_integers(as, &part, scales);
        }
    }
}
