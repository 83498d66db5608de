// rng.h: seeded numbers for tests, the same bits on every machine: whole-number arithmetic until one exact last step.
// Good enough to fill tensors; no cryptography and no statistics.
#ifndef TESTS_RNG_H
#define TESTS_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

// A generator whose numbers depend on seed alone; neighbouring seeds give unrelated numbers.
struct rng rng_seeded(uint64_t seed);

// The next 64 random bits.
uint64_t rng_bits(struct rng *rng);

// A whole number 0..below-1, each about as likely; below >= 1.
size_t rng_below(struct rng *rng, size_t below);

// Near enough a normal distribution: the sum of eight uniform numbers, mean 0, standard deviation 1, |x| < 5.
float rng_normal(struct rng *rng);

// A whole number -most..most as a float; most < 2^24.
float rng_integer(struct rng *rng, int most);

// Fills out[count] with rng_normal times factor.
void rng_fill_normal(struct rng *rng, float *out, size_t count, float factor);

// Fills out[count] with rng_integer(most).
void rng_fill_integer(struct rng *rng, float *out, size_t count, int most);

#endif
