// rng.c: splitmix64, and the few distributions tests need on top of it. Keeps no state of its own.
#include "rng.h"

struct rng rng_seeded(uint64_t seed)
{
    return (struct rng){.state = seed * UINT64_C(0xD1342543DE82EF95) + 1};
}

uint64_t rng_bits(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

size_t rng_below(struct rng *rng, size_t below)
{
    return (size_t)(rng_bits(rng) % below);
}

float rng_normal(struct rng *rng)
{
    enum { TERMS = 8, HALF = 1 << 15 };
    // A uniform number 0..65535 has the variance (2^32 - 1) / 12; eight of them the standard deviation below.
    const float deviation = 53509.92F;
    int32_t sum = 0;
    for (int pair = 0; pair < TERMS / 4; pair++) {
        uint64_t bits = rng_bits(rng);
        for (int i = 0; i < 4; i++) {
            sum += (int32_t)(bits >> (16 * i) & 0xFFFF) - HALF;
        }
    }
    return ((float)sum + (float)TERMS / 2.0F) / deviation;
}

float rng_integer(struct rng *rng, int most)
{
    return (float)((int)rng_below(rng, (size_t)(2 * most + 1)) - most);
}

void rng_fill_normal(struct rng *rng, float *out, size_t count, float factor)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = rng_normal(rng) * factor;
    }
}

void rng_fill_integer(struct rng *rng, float *out, size_t count, int most)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = rng_integer(rng, most);
    }
}
