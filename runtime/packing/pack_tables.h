// pack_tables.h: the parts of packed weights that are not linears: copies, rows in fewer bits, and computed tables.
#ifndef GA_PACK_TABLES_H
#define GA_PACK_TABLES_H

#include "model.h"
#include "packed_parts.h"

// to: where the part begins.
void ga_pack_copy(const struct ga_packed_copy *copy, const struct ga_weight_view *view, float *to);

// block: where the offsets of the rows begin.
void ga_pack_rows(const struct ga_packed_rows *rows, const struct ga_weight_view *view, unsigned char *block);

// to: where the part begins.
void ga_pack_angles(const struct ga_packed_angles *angles, float *to);
void ga_pack_buckets(const struct ga_packed_buckets *buckets, const struct ga_weight_view *view, float *to);

#endif
