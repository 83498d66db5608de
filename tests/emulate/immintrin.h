// immintrin.h: stands before the compiler's own on the include path and adds AVX-512 written in terms of AVX2, by
// SIMDe, so that the kernels' arithmetic can be tested on CPUs without it. Says nothing about speed.
#ifndef TESTS_EMULATE_IMMINTRIN_H
#define TESTS_EMULATE_IMMINTRIN_H

#include_next <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <stddef.h>
#include <string.h>

// Two that SIMDe 0.7.4 has not. Lanes outside the mask touch no memory, as in the CPU.

static inline __m512 emulated_maskz_loadu_ps(__mmask16 mask, const void *from)
{
    float lanes[16] = {0};
    for (size_t i = 0; i < 16; i++) {
        if (mask >> i & 1) {
            memcpy(&lanes[i], (const float *)from + i, sizeof(float));
        }
    }
    return simde_mm512_loadu_ps(lanes);
}

static inline void emulated_mask_storeu_ps(void *to, __mmask16 mask, __m512 v)
{
    float lanes[16];
    simde_mm512_storeu_ps(lanes, v);
    for (size_t i = 0; i < 16; i++) {
        if (mask >> i & 1) {
            memcpy((float *)to + i, &lanes[i], sizeof(float));
        }
    }
}

#define _mm512_maskz_loadu_ps(mask, from) emulated_maskz_loadu_ps(mask, from)
#define _mm512_mask_storeu_ps(to, mask, v) emulated_mask_storeu_ps(to, mask, v)

#endif
