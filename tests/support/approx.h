// approx.h: how far a result may be from the exact one, derived from the float's epsilon and not from what a kernel
// happened to give. Compares; says nothing of where the numbers came from.
#ifndef TESTS_APPROX_H
#define TESTS_APPROX_H

#include <stdbool.h>
#include <stddef.h>

// The result of a comparison. Where it failed, `at` is the first element that is wrong, or the worst one where only the
// sum of errors is too large.
struct approx {
    bool ok;
    size_t at;
    double got, expected; // at `at`
    double error, limit;  // largest |got - expected|, and what was allowed
    double nmse;          // sum of squared errors over sum of squared expectations; 0 where both are 0
};

// What the generic float kernel is off by over count elements: the most, and its nmse.
struct approx_error {
    double most, nmse;
};
struct approx_error approx_error(const float *generic, const double *exact, size_t count);

// The larger of both parts.
struct approx_error approx_larger(struct approx_error a, struct approx_error b);

// A whole attention layer. Every element's error is at most
//
//     2 * (largest error of the generic float kernel) + (1e-6 + step) * (largest magnitude expected) + slack
//
// twice the generic one's, because sums in another order are as good but not equal; 1e-6, eight epsilons, because at
// small shapes the generic kernel's own error is a few roundings and luck decides; step as reference_step() derives it,
// 0 for floats. And nmse <= 1e-11, a root mean square of 3e-6, which one dropped product in 10^5 already breaks; or
// four times the generic's, whose errors are larger where its arithmetic is not in floats; and step^2 / 12 more, the
// mean square of one rounding to such steps, as luck decides the generic's where few numbers are compared. slack is 0
// unless the inputs are ill-conditioned, or the sums so few that one whose terms cancel is all there is; with it nmse
// is not asked.
// NaN on either side is an error.
struct approx approx_layer(const float *got, const double *exact, size_t count, struct approx_error generic,
                           double step, double slack);

// Every element equals the exact one, which a float must be able to hold; -0 equals 0.
struct approx approx_exactly(const float *got, const double *exact, size_t count);

// A softmax row sums to one: each of its terms and the sum's own additions round by at most half an epsilon, errors of
// either sign, so 4 * eps * sqrt(count) holds with much room. True within that.
bool approx_sums_to_one(const float *row, size_t count, double *sum_out);

// The first of count floats whose bits differ, or count; a NaN equals any NaN.
size_t approx_first_difference(const float *a, const float *b, size_t count);

#endif
