// reference_rounded.h: a linear whose rows and weights are rounded, to integers or bf16, as docs/numbers.md says, in
// plain C: what the kernels of that arithmetic must give to the last bit. Knows nothing of tiles, panels or how zero is
// kept.
#ifndef TESTS_REFERENCE_ROUNDED_H
#define TESTS_REFERENCE_ROUNDED_H

#include "model.h"

// out[count][n_out] = in[count][n_in] times the weight's transpose, plus the bias where there is one; arithmetic is
// not f32.
void reference_rounded_project(enum ga_arithmetic arithmetic, const struct ga_weight_view *weight,
                               const struct ga_weight_view *bias, size_t count, size_t n_in, size_t n_out,
                               const float *in, float *out);

#endif
