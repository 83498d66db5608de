// stored_floats.h: numbers as files of weights store them, blocks of quantized ones included, as floats. Knows no file.
#ifndef GA_STORED_FLOATS_H
#define GA_STORED_FLOATS_H

#include <stddef.h>

#include "tensor.h"

enum { GA_LARGEST_BLOCK = 256 }; // elements; a multiple of those of every block type

// Writes `count` elements as floats, whole blocks of a block type. data: of any alignment. F16, BF16 and blocks are
// exact; F64 is rounded to the nearest float, and becomes infinite if it is too large.
typedef void (*ga_float_reader)(const unsigned char *data, size_t count, float *floats);

// What reads a type; NULL if it is not a type of floats.
ga_float_reader ga_float_reader_of(enum ga_dtype dtype);

#endif
