// weights_by_head.h: a tensor whose rows are those of q, k and v of one head after another, as all rows of q, then all
// of k, then all of v. Internal to the weights library.
#ifndef GA_WEIGHTS_BY_HEAD_H
#define GA_WEIGHTS_BY_HEAD_H

#include "weights.h"

// As ga_weights_floats, but with the rows [heads][3][n] as [3][heads][n]: always a copy, which the weights own. heads:
// not 0; 3 * heads divides the number of rows, and a tensor is asked for with one number of heads only.
enum ga_status ga_weights_by_head(struct ga_weights *weights, const struct ga_tensor *tensor, size_t heads,
                                  const float **floats_out, struct ga_error *error);

#endif
