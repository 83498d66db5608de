// group_rounding.h: weights in groups of 32 with a scale, and with int4 a zero: which ones come nearest to given
// weights (docs/numbers.md). Knows no model. The program uses it as well, to round weights by samples.
#ifndef GA_GROUP_ROUNDING_H
#define GA_GROUP_ROUNDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

enum { GA_GROUP = 32 }; // weights along depth

// A weight is scale (number - zero). scale is NaN if a weight is not finite, or too large for any scale.
struct ga_group {
    float scale, zero;
    int32_t numbers[GA_GROUP];
};

// The group of 1 .. GA_GROUP weights that leaves the least sum of importance times squared error, among scales that
// cover the range of the weights, smaller ones, and what fits the numbers of each best. storage: GA_STORAGE_INT8 or
// INT4. importance [count]: NULL for 1 each.
void ga_group_choose(enum ga_storage storage, const float *weights, const float *importance, size_t count,
                     struct ga_group *group_out);

// The weight next to x that a group can have, such that ga_group_pack keeps it.
float ga_group_nearest(enum ga_storage storage, const struct ga_group *group, float x);

// Packs weights, `stride` floats apart, at column j of a panel of `width`, which holds zeros there; panel: where the
// group begins. Weights that are whole numbers of one scale, as those of other libraries' blocks are, stay as they are;
// others are chosen. Of all columns the scales come first, then with int4 the zeros, a byte each, then words
// [depth / unit][width] whose four bytes hold numbers that follow each other in depth.
void ga_group_pack(enum ga_storage storage, const float *weights, size_t stride, size_t count, unsigned char *panel,
                   size_t width, size_t j);

// Packs a block of Q8_0, GA_GROUP weights, as above into int8: its scale and numbers are moved. False if ga_group_pack
// would find others for its weights, as it may if no number is 127 or -127; then nothing is packed.
bool ga_group_move_q8_0(const unsigned char *block, unsigned char *panel, size_t width, size_t j);

#endif
