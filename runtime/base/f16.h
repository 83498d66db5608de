// f16.h: one float as half precision, for the runtime; kernels have vectors of their own that read it.
#ifndef GA_F16_H
#define GA_F16_H

#include <stdint.h>
#include <string.h>

// The nearest element, of two the even one; a NaN stays one, and what is too large becomes infinite.
static inline uint16_t ga_f16_of_float(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint32_t sign = bits >> 16 & 0x8000U, magnitude = bits & 0x7fffffffU;
    if (magnitude > 0x7f800000U) {
        return (uint16_t)(sign | 0x7e00U);
    }
    if (magnitude < 0x38800000U) { // subnormal: the last bit of a float from 0.5 to 1 is 2^-24
        float size;
        memcpy(&size, &magnitude, sizeof size);
        size += 0.5F;
        memcpy(&bits, &size, sizeof bits);
        return (uint16_t)(sign | (bits - 0x3f000000U));
    }
    const uint32_t nearest = (magnitude + 0xfffU + (magnitude >> 13 & 1U) - 0x38000000U) >> 13;
    return (uint16_t)(sign | (nearest < 0x7c00U ? nearest : 0x7c00U));
}

#endif
