// pack_tables.h: the parts of packed weights that are not linears: copies and computed tables of floats.
#ifndef GA_PACK_TABLES_H
#define GA_PACK_TABLES_H

#include "model.h"
#include "packed_parts.h"

// to: where the part begins.
void ga_pack_copy(const struct ga_packed_copy *copy, const struct ga_weight_view *view, float *to);
void ga_pack_angles(const struct ga_packed_angles *angles, float *to);
void ga_pack_buckets(const struct ga_packed_buckets *buckets, const struct ga_weight_view *view, float *to);

#endif
