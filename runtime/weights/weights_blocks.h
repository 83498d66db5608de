// weights_blocks.h: blocks of quantized numbers, as GGUF files have them, as floats. Internal to the weights library.
#ifndef GA_WEIGHTS_BLOCKS_H
#define GA_WEIGHTS_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

#include "tensor.h"

// Writes the elements of blocks, `count` floats, from the first block on.
typedef void (*ga_block_decoder)(const unsigned char *blocks, size_t count, float *floats);

// What decodes a type's blocks, NULL for any other type.
ga_block_decoder ga_weights_decoder(enum ga_dtype dtype);

// The float that is equal to a half: 1 bit of sign, 5 of exponent, 10 of fraction. A NaN stays one and becomes quiet.
float ga_float_of_half(uint16_t half);

#endif
