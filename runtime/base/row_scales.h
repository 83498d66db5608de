// row_scales.h: a row of floats as integers with a scale of its own, which is bf16: for rows of a cache that come from
// elsewhere, and for tables of token rows. Kernels have vectors of their own for it. Knows no place of a row.
#ifndef GA_ROW_SCALES_H
#define GA_ROW_SCALES_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "bf16.h"

enum { GA_ROW_LARGEST = 127 }; // the greatest magnitude of an integer

// The scale of a row of n numbers, `stride` floats apart, as bf16: a 127th of the greatest magnitude, and 2^-126 at
// least; NaN where a number is not finite. The scale is rounded to the nearest, so that this magnitude is
// GA_ROW_LARGEST of it.
static inline uint16_t ga_row_scale_of(const float *row, size_t stride, size_t n)
{
    float most = 0, probe = 0; // 0 times what is not finite is a NaN
    for (size_t i = 0; i < n; i++) {
        const float x = row[i * stride], magnitude = x < 0 ? -x : x;
        most = magnitude > most ? magnitude : most;
        probe += x * 0.0F;
    }
    const float least = 0x1p-126F, part = most / (float)GA_ROW_LARGEST;
    return ga_bf16_of_float(probe != probe ? NAN : part > least ? part : least);
}

// The integer nearest to x divided by the scale, of two the even one; 0 where the scale is NaN.
static inline int8_t ga_row_number_of(float x, uint16_t scale)
{
    const float worth = ga_float_of_bf16(scale), room = 0x1.8p23F; // which leaves no bit for a fraction
    return (int8_t)(worth != worth ? 0.0F : x * (1.0F / worth) + room - room);
}

#endif
