// cache_scales.h: a row of a cache quantized with a scale of its own, for the runtime; kernels have vectors of their own
// for it. Knows no place in a cache.
#ifndef GA_CACHE_SCALES_H
#define GA_CACHE_SCALES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "bf16.h"

enum { GA_CACHE_LARGEST = 127 }; // magnitude of a quantized number

// The scale of a row, as bf16: its greatest magnitude over GA_CACHE_LARGEST, rounded to the nearest, and 2^-126 at least;
// NaN where a number is not finite.
static inline uint16_t ga_cache_scale_of(const float *row, size_t n)
{
    float most = 0, probe = 0; // 0 times what is not finite is a NaN
    for (size_t i = 0; i < n; i++) {
        const float magnitude = row[i] < 0 ? -row[i] : row[i];
        most = magnitude > most ? magnitude : most;
        probe += row[i] * 0.0F;
    }
    const float least = 0x1p-126F, part = most / (float)GA_CACHE_LARGEST;
    return ga_bf16_of_float(probe != probe ? NAN : part > least ? part : least);
}

// x over the scale, rounded to the nearest, of two the even one; 0 where the scale is NaN.
static inline int8_t ga_cache_number_of(float x, uint16_t scale)
{
    const float worth = ga_float_of_bf16(scale), room = 0x1.8p23F; // which leaves no bit for a fraction
    return (int8_t)(worth != worth ? 0.0F : x * (1.0F / worth) + room - room);
}

#endif
