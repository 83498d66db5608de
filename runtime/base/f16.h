// f16.h: one float as half precision and back, for the runtime; kernels have vectors of their own that read it.
#ifndef GA_F16_H
#define GA_F16_H

#include <stdint.h>
#include <string.h>

// The float that an element stands for, exactly. A NaN stays one and becomes quiet.
static inline float ga_float_of_f16(uint16_t element)
{
    const uint32_t sign = (uint32_t)(element & 0x8000U) << 16, exponent = element >> 10 & 0x1fU;
    const uint32_t fraction = element & 0x3ffU;
    uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
    float number;
    if (exponent == 0) {
        number = (float)fraction * 0x1p-24F;
        return sign == 0 ? number : -number;
    }
    if (exponent == 0x1f) {
        bits = sign | 0x7f800000U | fraction << 13 | (fraction == 0 ? 0 : 0x400000U);
    }
    memcpy(&number, &bits, sizeof number);
    return number;
}

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
