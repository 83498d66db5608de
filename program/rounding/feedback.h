// feedback.h: weights rounded one after the other, each taking back what the errors of those before it do to the rows
// that they multiply together (GPTQ, in the form of QuIP's LDLQ). Knows no model.
#ifndef GA_FEEDBACK_H
#define GA_FEEDBACK_H

#include <stdbool.h>
#include <stddef.h>

#include "group_rounding.h"

// How errors go on: that at i adds factors[i * width + k] times itself to what weight k > i must make good.
struct ga_feedback {
    size_t width;
    float *factors;    // [width][width]
    float *importance; // [width], what the square of an error that is left costs
};

// From sums of products as struct ga_row_sums has them. Numbers that rows hardly have are taken to have a hundredth of
// the mean square, so that the errors of others are not made good by them without bound. NULL where there is no
// memory, and where a sum is no number: *is_finite_out tells which. The caller frees it with ga_feedback_free.
struct ga_feedback *ga_feedback_new(const float *sums, size_t width, bool *is_finite_out);

// Rounds a row of weights [width] to numbers of groups; a row with what is no number stays as it is. False where there
// is no memory.
bool ga_feedback_round(const struct ga_feedback *feedback, enum ga_storage storage, const float *weights, float *to);

void ga_feedback_free(struct ga_feedback *feedback);

#endif
