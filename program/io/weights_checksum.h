// weights_checksum.h: a number for a model's weights before packing: the same for every instruction set, layout and
// format of a file whose values are equal. Tells accidents apart, not forgery, and reads no file.
//
// It is the XXH64 of the checksums of rows, role by role in the model's order. A row of a matrix [out][in] is the `in`
// weights of an output; a vector is one row. The checksum of a row is the XXH64 of its floats. Checksums are 8 bytes
// each, little-endian; rows come by sixteen, and zeros stand for rows that the last sixteen of a role lack.
#ifndef GA_WEIGHTS_CHECKSUM_H
#define GA_WEIGHTS_CHECKSUM_H

#include <stdint.h>

#include "model.h"

// roles: [model->n_roles]; NULL if the model has none. Reads each weight once.
uint64_t ga_weights_checksum(const struct ga_model *model, const struct ga_weight_view *roles);

#endif
