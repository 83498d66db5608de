// reference_rounded.h: linears and attention whose rows and weights are rounded, to integers or bf16, as
// docs/numbers.md says, in plain C: what the kernels of that arithmetic must give to the last bit. Knows nothing of
// tiles, panels or how zero is kept.
#ifndef TESTS_REFERENCE_ROUNDED_H
#define TESTS_REFERENCE_ROUNDED_H

#include <stdbool.h>

#include "model.h"

// How a linear rounds: its arithmetic, which with weights kept in groups is another one than without.
struct reference_rounding {
    enum ga_arithmetic arithmetic;
    bool in_groups;
};

struct reference_rounding reference_rounding(const struct ga_model *model, enum ga_arithmetic arithmetic);

// How far a rounding that falls the other way moves a row's largest number, as a part of it: a step of the coarsest
// numbers that linears, attention and the cache round rows to; 0 where all are floats.
//
// The generic kernel and the kernels add in other orders. A number close to the middle of two steps then becomes the
// one in one of them and the other in the other, a whole step apart. What is computed from it is off by a part of a
// step, and its roundings fall anew: the errors of that row are another draw of the same errors, and those of the
// generic kernel say little of the largest one. The errors of one linear's row are even between half a step below and
// half a step above, of deviation step / sqrt(12): each of n linears in turn adds step / sqrt(12) of the size of its
// result, in all sqrt(n / 12) steps, which up to twelve linears is at most one step.
double reference_step(const struct ga_model *model);

// out[count][n_out] = in[count][n_in] times the weight's transpose, plus the bias where there is one; arithmetic is
// not f32. Weights in groups are whole numbers of their steps already.
void reference_rounded_project(struct reference_rounding rounding, const struct ga_weight_view *weight,
                               const struct ga_weight_view *bias, size_t count, size_t n_in, size_t n_out,
                               const float *in, float *out);

// How attention rounds: its arithmetic, which is not f32; and whether keys and values are the numbers and steps of a
// cache of GA_I8, which it multiplies as they are.
struct reference_attends {
    enum ga_arithmetic arithmetic;
    bool kept;
};

struct reference_attends reference_attends(const struct ga_model *model);

// row[n] = a row of a linear's weight as its panels keep it; arithmetic: INT8 or BF16.
void reference_rounded_row(enum ga_arithmetic arithmetic, size_t n, float *row);

// A query times a key, of `count` numbers each.
float reference_rounded_score(struct reference_attends attends, size_t count, const float *q, const float *k);

// out[d_v] = values of the keys seen, at stride, each times its weight. One that is not finite makes NaN of all.
void reference_rounded_mix(struct reference_attends attends, const float *weights, const float *v, size_t stride,
                           const bool *seen, size_t keys, size_t d_v, float *out);

#endif
