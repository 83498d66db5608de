// feedback.c: the triangle by which errors go on, and rows of weights rounded with it. Chooses no scale.
#include "feedback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "row_sums.h"

static const double LEAST_SHARE = 0.01; // of the mean square of the rows' numbers

// The sums as double precision, [width][width] of which j <= i are set, with the least share added to each square.
static double *damped(const float *sums, size_t width)
{
    const size_t stride = ga_row_sums_stride(width);
    double *made = malloc(width * width * sizeof *made), trace = 0;
    for (size_t i = 0; i < width; i++) {
        trace += (double)sums[i * stride + i];
    }
    const double added = trace > 0 ? LEAST_SHARE * trace / (double)width : 1;
    for (size_t i = 0; i < width && made; i++) {
        for (size_t j = 0; j <= i; j++) {
            made[i * width + j] = (double)sums[i * stride + j] + (i == j ? added : 0);
        }
    }
    return made;
}

// Takes the last number out of the sums of k + 1 numbers: what it costs where the others are given, and how their
// errors go on to it.
static bool take_last(double *sums, size_t k, struct ga_feedback *feedback)
{
    const size_t width = feedback->width;
    const double *last = sums + k * width, cost = last[k];
    for (size_t i = 0; i < k; i++) {
        const double factor = last[i] / cost;
        double *row = sums + i * width;
        feedback->factors[i * width + k] = -(float)factor;
        for (size_t j = 0; j <= i; j++) {
            row[j] -= factor * last[j];
        }
    }
    feedback->importance[k] = (float)cost;
    return cost > 0 && cost < (double)HUGE_VALF;
}

struct ga_feedback *ga_feedback_new(const float *sums, size_t width, bool *is_finite_out)
{
    struct ga_feedback *made = malloc(sizeof *made);
    double *left = damped(sums, width);
    *is_finite_out = true;
    if (made) {
        *made = (struct ga_feedback){width, malloc(width * width * sizeof *made->factors),
                                     malloc(width * sizeof *made->importance)};
    }
    bool good = made && made->factors && made->importance && left;
    for (size_t k = width; k-- > 0 && good;) {
        good = *is_finite_out = take_last(left, k, made);
    }
    free(left);
    if (!good) {
        ga_feedback_free(made);
        return NULL;
    }
    return made;
}

static bool is_finite(const float *weights, size_t width)
{
    float probe = 0.0F;
    for (size_t i = 0; i < width; i++) {
        probe += weights[i] * 0.0F;
    }
    return probe == 0.0F;
}

// wanted [width]: the weights with what errors so far add; those from `at` on are still to come.
static void round_group(const struct ga_feedback *feedback, enum ga_storage storage, size_t at, const float *weights,
                        float *wanted, float *to)
{
    const size_t width = feedback->width, left = width - at, count = left < GA_GROUP ? left : GA_GROUP;
    struct ga_group group;
    ga_group_choose(storage, wanted + at, feedback->importance + at, count, &group);
    for (size_t i = at; i < at + count; i++) {
        const float *factors = feedback->factors + i * width;
        to[i] = ga_group_nearest(storage, &group, wanted[i]);
        const float error = to[i] - weights[i];
        for (size_t k = i + 1; k < width; k++) {
            wanted[k] += error * factors[k];
        }
    }
}

bool ga_feedback_round(const struct ga_feedback *feedback, enum ga_storage storage, const float *weights, float *to)
{
    const size_t width = feedback->width;
    float *wanted = malloc(width * sizeof *wanted);
    if (!wanted) {
        return false;
    }
    memcpy(wanted, weights, width * sizeof *wanted);
    memcpy(to, weights, width * sizeof *to);
    for (size_t at = 0; at < width && is_finite(weights, width); at += GA_GROUP) {
        round_group(feedback, storage, at, weights, wanted, to);
    }
    free(wanted);
    return true;
}

void ga_feedback_free(struct ga_feedback *feedback)
{
    if (feedback) {
        free(feedback->factors);
        free(feedback->importance);
    }
    free(feedback);
}
