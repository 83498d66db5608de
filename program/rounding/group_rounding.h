// group_rounding.h: the scale and the zero of a group of packed weights, chosen by what an error of each weight costs.
// Packs nothing: what it gives are whole numbers of steps, which packing keeps as they are.
#ifndef GA_GROUP_ROUNDING_H
#define GA_GROUP_ROUNDING_H

#include <stddef.h>

#include "model.h"

enum { GA_GROUP = 32 }; // weights along depth

// Its weights are scale (number - zero).
struct ga_group {
    float scale, zero;
};

// That which leaves the least sum of importance times squared error, among steps that cover the range of the weights,
// narrower ones, and what fits the numbers of each best. storage: GA_STORAGE_INT8 or INT4.
struct ga_group ga_group_choose(enum ga_storage storage, const float *weights, const float *importance, size_t count);

// The weight that a group has next to x.
float ga_group_nearest(enum ga_storage storage, const struct ga_group *group, float x);

#endif
