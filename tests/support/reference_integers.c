// reference_integers.c: a row and a column at a time, sum by sum.
#include "reference_integers.h"

#include <math.h>
#include <stdint.h>

// How an arithmetic rounds: steps of a row's part for one sum, from zero to its largest magnitude or, by range, from
// its least number to its greatest; and the most products of one sum.
static const struct rule {
    float row_steps;
    bool by_range;
    size_t sum;
} rules[] = {[GA_ARITHMETIC_I16] = {16383, false, 128}, [GA_ARITHMETIC_INT8] = {254, true, 256}};

enum { DEPTH_STEP = 4 };

// What a row's numbers are multiplied by to become steps; NaN where one is infinite or NaN.
static float steps_per_unit(const struct rule *rule, const float *row, size_t n)
{
    const float most = 0x1p126F;
    float below = 0, above = 0;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(row[i])) {
            return NAN;
        }
        below = -row[i] > below ? -row[i] : below;
        above = row[i] > above ? row[i] : above;
    }
    const float range = rule->by_range ? below + above : fmaxf(below, above);
    return range > rule->row_steps / most ? rule->row_steps / range : most;
}

// What one step of `count` weights is worth.
static float weight_step(enum ga_arithmetic arithmetic, const float *weight, size_t stride, size_t count)
{
    double largest = 0, total = 0;
    for (size_t i = 0; i < count; i++) {
        const double size = fabs((double)weight[i * stride]);
        largest = fmax(largest, size);
        total += size;
    }
    const double step = arithmetic == GA_ARITHMETIC_I16 ? fmax(largest / 32767, total / 131008) : largest / 127;
    return !isfinite(total) ? NAN : (float)fmax(step, 0x1p-126);
}

// One running sum of products as a number, by a row's scale.
static float one_sum(float steps, const float *row, float step, const float *weight, size_t stride, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count && isfinite(steps) && isfinite(step); i++) {
        sum += (int64_t)rintf(row[i] * steps) * (int64_t)round((double)weight[i * stride] / (double)step);
    }
    return (float)(int32_t)sum * (1 / steps * step);
}

void reference_integer_project(enum ga_arithmetic arithmetic, const struct ga_weight_view *weight,
                               const struct ga_weight_view *bias, size_t count, size_t n_in, size_t n_out,
                               const float *in, float *out)
{
    const struct rule *rule = &rules[arithmetic];
    const size_t groups = (n_in + DEPTH_STEP - 1) / DEPTH_STEP, stride = weight->col_stride;
    const size_t sums = (groups * DEPTH_STEP + rule->sum - 1) / rule->sum, short_sum = groups / sums;
    for (size_t o = 0; o < n_out; o++) {
        const float *row = weight->data + o * weight->row_stride;
        for (size_t s = 0, from = 0; s < sums; s++) {
            const size_t padded = (short_sum + (s < groups % sums)) * DEPTH_STEP;
            const size_t length = from + padded < n_in ? padded : n_in - from;
            const float step = weight_step(arithmetic, row + from * stride, stride, length);
            for (size_t i = 0; i < count; i++) {
                float *y = &out[i * n_out + o];
                const float before = s > 0 ? *y : bias ? bias->data[o * bias->row_stride] : 0;
                const float steps = steps_per_unit(rule, in + i * n_in + from, length);
                *y = one_sum(steps, in + i * n_in + from, step, row + from * stride, stride, length) + before;
            }
            from += padded;
        }
    }
}
