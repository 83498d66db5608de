// random.h: numbers from a seed by a documented formula, the same on every machine and in any language.
// Of no use where numbers must not be guessed.
//
// With all arithmetic modulo 2^64, element i of stream s under a seed is
//     z = seed * 0xD1342543DE82EF95 + s * 0x2545F4914F6CDD1D + (i + 1) * 0x9E3779B97F4A7C15
//     z = (z xor z >> 30) * 0xBF58476D1CE4E5B9
//     z = (z xor z >> 27) * 0x94D049BB133111EB
//     z = z xor z >> 31
//     u = (z >> 40) / 2^23 - 1                    exact in a double, -1 <= u < 1
// A weight is (float)(u * bound), the product in double, with s the place of its role among the model's roles, and
// bound = 1 / sqrt(columns) for a matrix, 1 / sqrt(d_model) for a vector, which is how PyTorch's Linear starts.
#ifndef GA_RANDOM_H
#define GA_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#include "model.h"

// Fills values[count] with u * bound.
void ga_random_fill(uint64_t seed, uint64_t stream, double bound, float *values, size_t count);

// (u + 1) / 2 of element i: 0 <= share < 1.
double ga_random_share(uint64_t seed, uint64_t stream, uint64_t i);

// Makes every weight of the model and points views_out[model->n_roles] at them. Returns the block they lie in, to be
// freed with free() once the views are done with; NULL where there is no memory.
void *ga_random_views(const struct ga_model *model, uint64_t seed, struct ga_weight_view *views_out);

#endif
