// round_weights.h: a model's weights rounded to groups by the rows that they multiplied. Reads and packs nothing.
#ifndef GA_ROUND_WEIGHTS_H
#define GA_ROUND_WEIGHTS_H

#include "diagnostics.h"
#include "row_sums.h"

// Points views [n_roles] of all weights that have sums at copies that are whole numbers of steps of groups, which
// packing keeps as they are. *copies_out holds them until it is freed with ga_rounded_free, whether or not this
// succeeds.
struct ga_rounded {
    size_t count;
    float **of; // [count]
};

enum ga_exit ga_round_weights(const struct ga_context *context, const struct ga_row_sums *sums,
                              struct ga_weight_view *views, struct ga_rounded *copies_out);

void ga_rounded_free(struct ga_rounded *copies);

#endif
