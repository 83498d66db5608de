// pack_table_product.h: keys and queries of relative positions, which are constants of a model. Knows no score.
#ifndef GA_PACK_TABLE_PRODUCT_H
#define GA_PACK_TABLE_PRODUCT_H

#include "model.h"
#include "packed_parts.h"

// shared: the roles that all layers share; roles: those of the layer; to: where the part begins, zeros.
void ga_pack_table_product(const struct ga_packed_table_product *product, const struct ga_weight_view *shared,
                           const struct ga_weight_view *roles, float *to);

#endif
