// bf16.h: one float as the upper half of its bits and back, for the runtime; kernels have vectors of their own for it.
#ifndef GA_BF16_H
#define GA_BF16_H

#include <stdint.h>
#include <string.h>

// The float that an element stands for, exactly.
static inline float ga_float_of_bf16(uint16_t element)
{
    const uint32_t bits = (uint32_t)element << 16;
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

// The nearest element, of two the even one; a NaN stays one, and what is too large becomes infinite.
static inline uint16_t ga_bf16_of_float(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    const uint32_t upper = bits >> 16;
    return (uint16_t)(number != number ? upper | 0x40 : (bits + 0x7fff + (upper & 1)) >> 16);
}

#endif
