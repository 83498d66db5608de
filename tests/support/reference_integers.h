// reference_integers.h: a linear whose rows and weights are rounded to integers, as docs/numbers.md says, in plain C:
// what the kernels of that arithmetic must give to the last bit. Knows nothing of tiles, panels or how zero is kept.
#ifndef TESTS_REFERENCE_INTEGERS_H
#define TESTS_REFERENCE_INTEGERS_H

#include "model.h"

// out[count][n_out] = in[count][n_in] times the weight's transpose, plus the bias where there is one; arithmetic is
// none of floats.
void reference_integer_project(enum ga_arithmetic arithmetic, const struct ga_weight_view *weight,
                               const struct ga_weight_view *bias, size_t count, size_t n_in, size_t n_out,
                               const float *in, float *out);

#endif
