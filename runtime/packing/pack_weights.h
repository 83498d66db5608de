// pack_weights.h: packs a model's weights by the tables of its variant. It checks nothing: model.c did.
#ifndef GA_PACK_WEIGHTS_H
#define GA_PACK_WEIGHTS_H

#include "model.h"
#include "packed_parts.h"

// packed: zeros; what pads panels and parts stays zero.
void ga_pack_weights(const struct ga_packed_parts *parts, size_t n_parts, const struct ga_weight_view *roles,
                     void *packed);

#endif
