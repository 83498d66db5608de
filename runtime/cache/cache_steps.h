// cache_steps.h: a row of a cache as whole numbers of a step of its own, for the runtime; kernels have vectors of their
// own for it. Knows no place in a cache.
#ifndef GA_CACHE_STEPS_H
#define GA_CACHE_STEPS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "bf16.h"

enum { GA_CACHE_MOST_STEPS = 127 }; // the greatest magnitude of a number

// What one step of a row is worth, as bf16: so much of its greatest magnitude, and 2^-126 at least; NaN where a number
// is not finite. The step is rounded to the nearest, so that this magnitude is GA_CACHE_MOST_STEPS of it.
static inline uint16_t ga_cache_step_of(const float *row, size_t n)
{
    float most = 0, probe = 0; // 0 times what is not finite is a NaN
    for (size_t i = 0; i < n; i++) {
        const float magnitude = row[i] < 0 ? -row[i] : row[i];
        most = magnitude > most ? magnitude : most;
        probe += row[i] * 0.0F;
    }
    const float least = 0x1p-126F, part = most / (float)GA_CACHE_MOST_STEPS;
    return ga_bf16_of_float(probe != probe ? NAN : part > least ? part : least);
}

// The number of steps nearest to x, of two the even one; 0 where the step is NaN.
static inline int8_t ga_cache_number_of(float x, uint16_t step)
{
    const float worth = ga_float_of_bf16(step), room = 0x1.8p23F; // which leaves no bit for a fraction
    return (int8_t)(worth != worth ? 0.0F : x * (1.0F / worth) + room - room);
}

#endif
