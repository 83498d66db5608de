// formula.h: weights made from whole numbers, so that C, Lua and Python build the same bits and only results need
// committing. Knows no tensor by name and is no random number generator for anything but examples and tests.
//
// Element i (row-major, i < 2^20) of tensor number t (t < 63) is
//
//     n = t * 2^20 + i                            one running number over all tensors
//     c = (1000003 * n) mod p                     p = 67108859, the largest prime below 2^26 that is 2 mod 3,
//     x = ((c * c) mod p * c) mod p               so that cubing is a permutation of 0..p-1
//     k = x mod (2 r + 1) - r                     a whole number in -r..r, spread evenly
//     w = k / 65536
//
// No product reaches 2^53, so doubles (LuaJIT) and 64-bit integers (C, Lua 5.4, Python) agree, and with r < 2^24 the
// quotient is exact in float. r / 65536 is the largest magnitude: 1 / sqrt(d_model), as nn.Linear initialises, is
// r = 65536 / sqrt(d_model).
#ifndef DEMO_FORMULA_H
#define DEMO_FORMULA_H

#include <stddef.h>
#include <stdint.h>

enum { FORMULA_PRIME = 67108859, FORMULA_STEP = 1000003, FORMULA_TENSOR = 1 << 20, FORMULA_ONE = 65536 };

// k of element i of a tensor; i < FORMULA_TENSOR, tensor < 63, r < 2^24.
static inline int32_t formula_integer(uint32_t tensor, size_t i, uint32_t r)
{
    uint64_t n = (uint64_t)tensor * FORMULA_TENSOR + i;
    uint64_t c = n * FORMULA_STEP % FORMULA_PRIME;
    uint64_t x = c * c % FORMULA_PRIME * c % FORMULA_PRIME;
    return (int32_t)(x % (2 * (uint64_t)r + 1)) - (int32_t)r;
}

// Writes elements 0..count-1 of a tensor to out[count].
static inline void formula_fill(float *out, size_t count, uint32_t tensor, uint32_t r)
{
    for (size_t i = 0; i < count; i++) {
        out[i] = (float)formula_integer(tensor, i, r) / (float)FORMULA_ONE;
    }
}

#endif
