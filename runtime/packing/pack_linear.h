// pack_linear.h: one linear as panels. Knows no role and no model.
#ifndef GA_PACK_LINEAR_H
#define GA_PACK_LINEAR_H

#include "model.h"
#include "packed_parts.h"

// bias: NULL if there is none. block: where the offsets of the linear begin.
void ga_pack_linear(const struct ga_packed_linear *linear, const struct ga_weight_view *weight,
                    const struct ga_weight_view *bias, unsigned char *block);

#endif
