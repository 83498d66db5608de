// immintrin.h: stands before the compiler's own on the include path and adds AVX-512 written in terms of AVX2, by
// SIMDe, so that the kernels' arithmetic can be tested on CPUs without it. Says nothing about speed.
#ifndef TESTS_EMULATE_IMMINTRIN_H
#define TESTS_EMULATE_IMMINTRIN_H

#include_next <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <stddef.h>
#include <string.h>

// Those that SIMDe 0.7.4 has not. Lanes outside the mask touch no memory, as in the CPU.

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

static inline __m512 emulated_cvtepi32_ps(__m512i v)
{
    int32_t lanes[16];
    float numbers[16];
    simde_mm512_storeu_si512(lanes, v);
    for (size_t i = 0; i < 16; i++) {
        numbers[i] = (float)lanes[i];
    }
    return simde_mm512_loadu_ps(numbers);
}

// Whole numbers of 32 bits and below.
static inline __m512i emulated_cvtps_epi32(__m512 v)
{
    float numbers[16];
    int32_t lanes[16];
    simde_mm512_storeu_ps(numbers, v);
    for (size_t i = 0; i < 16; i++) {
        lanes[i] = (int32_t)numbers[i];
    }
    return simde_mm512_loadu_si512(lanes);
}

static inline __m256i emulated_cvtepi32_epi16(__m512i v)
{
    int32_t lanes[16];
    int16_t low[16];
    simde_mm512_storeu_si512(lanes, v);
    for (size_t i = 0; i < 16; i++) {
        low[i] = (int16_t)lanes[i];
    }
    return _mm256_loadu_si256((const __m256i *)low);
}

static inline __m128i emulated_cvtepi32_epi8(__m512i v)
{
    int32_t lanes[16];
    int8_t low[16];
    simde_mm512_storeu_si512(lanes, v);
    for (size_t i = 0; i < 16; i++) {
        low[i] = (int8_t)lanes[i];
    }
    return _mm_loadu_si128((const __m128i *)low);
}

#define _mm512_cvtepi32_ps(v) emulated_cvtepi32_ps(v)
#define _mm512_cvtps_epi32(v) emulated_cvtps_epi32(v)
#define _mm512_cvtepi32_epi16(v) emulated_cvtepi32_epi16(v)
#define _mm512_cvtepi32_epi8(v) emulated_cvtepi32_epi8(v)
#define _mm512_maskz_loadu_ps(mask, from) emulated_maskz_loadu_ps(mask, from)
#define _mm512_mask_storeu_ps(to, mask, v) emulated_mask_storeu_ps(to, mask, v)

#endif
