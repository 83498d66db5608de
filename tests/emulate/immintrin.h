// immintrin.h: stands before the compiler's own on the include path and adds AVX-512, which SIMDe writes in terms of
// AVX2, AVX-VNNI and AMX, so that the kernels' arithmetic can be tested on CPUs without them. Says nothing about speed.
#ifndef TESTS_EMULATE_IMMINTRIN_H
#define TESTS_EMULATE_IMMINTRIN_H

#include_next <immintrin.h>

#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx512.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "tiles.h"

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

static inline int32_t emulated_reduce_max_epi32(__m512i v)
{
    int32_t lanes[16], most = INT32_MIN;
    simde_mm512_storeu_si512(lanes, v);
    for (size_t i = 0; i < 16; i++) {
        most = lanes[i] > most ? lanes[i] : most;
    }
    return most;
}

static inline int32_t emulated_reduce_add_epi32(__m512i v)
{
    int32_t lanes[16], sum = 0;
    simde_mm512_storeu_si512(lanes, v);
    for (size_t i = 0; i < 16; i++) {
        sum += lanes[i];
    }
    return sum;
}

// A function that converts a vector of sixteen lanes, lane by lane, each rounded first: nothing where it is whole.
#define EMULATED_CONVERSION(name, from_vector, from, store, rounded, to_vector, to, load) \
    static inline to_vector name(from_vector v)                                           \
    {                                                                                     \
        from lanes[16];                                                                   \
        to converted[16];                                                                 \
        store((void *)lanes, v);                                                          \
        for (size_t i = 0; i < 16; i++) {                                                 \
            converted[i] = (to)rounded(lanes[i]);                                         \
        }                                                                                 \
        return load((const void *)converted);                                             \
    }

EMULATED_CONVERSION(emulated_cvtepi32_ps, __m512i, int32_t, simde_mm512_storeu_si512, , __m512, float,
                    simde_mm512_loadu_ps)
EMULATED_CONVERSION(emulated_cvtps_epi32, __m512, float, simde_mm512_storeu_ps, rintf, __m512i, int32_t,
                    simde_mm512_loadu_si512)
EMULATED_CONVERSION(emulated_cvtepi32_epi16, __m512i, int32_t, simde_mm512_storeu_si512, , __m256i, int16_t,
                    _mm256_loadu_si256)
EMULATED_CONVERSION(emulated_cvtepi32_epi8, __m512i, int32_t, simde_mm512_storeu_si512, , __m128i, int8_t,
                    _mm_loadu_si128)
EMULATED_CONVERSION(emulated_cvtepu8_epi32, __m128i, uint8_t, _mm_storeu_si128, , __m512i, int32_t,
                    simde_mm512_loadu_si512)
EMULATED_CONVERSION(emulated_cvtepu16_epi32, __m256i, uint16_t, _mm256_storeu_si256, , __m512i, int32_t,
                    simde_mm512_loadu_si512)

static inline __m512i emulated_srai_epi32(__m512i v, unsigned count)
{
    int32_t lanes[16];
    simde_mm512_storeu_si512(lanes, v);
    for (size_t i = 0; i < 16; i++) {
        lanes[i] >>= count;
    }
    return simde_mm512_loadu_si512(lanes);
}

// A half as a float: its exponent moves, subnormals are multiples of 2^-24, and infinities and NaN stay.
static inline float emulated_half(uint16_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    const float magnitude =
        exponent == 31 ? (fraction ? NAN : INFINITY)
                       : ldexpf((float)(exponent ? fraction + 1024 : fraction), (exponent ? exponent : 1) - 25);
    return half >> 15 ? -magnitude : magnitude;
}

EMULATED_CONVERSION(emulated_512_cvtph_ps, __m256i, uint16_t, _mm256_storeu_si256, emulated_half, __m512, float,
                    simde_mm512_loadu_ps)

static inline __m256 emulated_256_cvtph_ps(__m128i v)
{
    return _mm512_castps512_ps256(emulated_512_cvtph_ps(_mm256_castsi128_si256(v)));
}

// -- AVX-VNNI -------------------------------------------------------------------------------------------------------

// A function that adds to each of eight lanes the products of its `count` elements in both vectors.
#define EMULATED_PRODUCTS(name, a_type, b_type, count)                  \
    static inline __m256i name(__m256i sum, __m256i a, __m256i b)       \
    {                                                                   \
        int32_t sums[8];                                                \
        a_type as[8 * (count)];                                         \
        b_type bs[8 * (count)];                                         \
        _mm256_storeu_si256((__m256i *)(void *)sums, sum);              \
        _mm256_storeu_si256((__m256i *)(void *)as, a);                  \
        _mm256_storeu_si256((__m256i *)(void *)bs, b);                  \
        for (size_t i = 0; i < 8 * (count); i++) {                      \
            sums[i / (count)] += (int32_t)as[i] * (int32_t)bs[i];       \
        }                                                               \
        return _mm256_loadu_si256((const __m256i *)(const void *)sums); \
    }

EMULATED_PRODUCTS(emulated_dpbusd, uint8_t, int8_t, 4)
EMULATED_PRODUCTS(emulated_dpwssd, int16_t, int16_t, 2)

// What is exact in any rounding, without what it raises.
static inline simde__m512 emulated_sub_quietly(simde__m512 a, simde__m512 b)
{
    const unsigned int state = _mm_getcsr();
    const simde__m512 less = simde_mm512_sub_ps(a, b);
    _mm_setcsr(state);
    return less;
}

#undef _mm512_madd_epi16 // to which SIMDe 0.7.4 gives two arguments more
#define _mm512_madd_epi16(a, b) simde_mm512_madd_epi16(a, b)
#define _mm256_dpbusd_avx_epi32(sum, a, b) emulated_dpbusd(sum, a, b)
#define _mm256_dpwssd_avx_epi32(sum, a, b) emulated_dpwssd(sum, a, b)
#define _mm512_cvtepi32_ps(v) emulated_cvtepi32_ps(v)
#define _mm512_cvtepu8_epi32(v) emulated_cvtepu8_epi32(v)
#define _mm512_reduce_add_epi32(v) emulated_reduce_add_epi32(v)
#define _mm512_cvtepu16_epi32(v) emulated_cvtepu16_epi32(v)
#define _mm512_cvtph_ps(v) emulated_512_cvtph_ps(v)
#define _mm256_cvtph_ps(v) emulated_256_cvtph_ps(v)
#define _mm512_srai_epi32(v, count) emulated_srai_epi32(v, count)
#define _mm512_cvtps_epi32(v) emulated_cvtps_epi32(v)
#define _mm512_cvt_roundps_epi32(v, nearest) emulated_cvtps_epi32(v)
#define _mm512_sub_round_ps(a, b, quietly) emulated_sub_quietly(a, b)
#define _mm512_reduce_max_epi32(v) emulated_reduce_max_epi32(v)
#define _mm512_cvtepi32_epi16(v) emulated_cvtepi32_epi16(v)
#define _mm512_cvtepi32_epi8(v) emulated_cvtepi32_epi8(v)
#define _mm512_maskz_loadu_ps(mask, from) emulated_maskz_loadu_ps(mask, from)
#define _mm512_mask_storeu_ps(to, mask, v) emulated_mask_storeu_ps(to, mask, v)

// -- AMX ------------------------------------------------------------------------------------------------------------

static inline void emulated_tile_loadconfig(const void *sizes)
{
    memset(&emulated_tiles, 0, sizeof emulated_tiles);
    memcpy(emulated_tiles.row_bytes, (const char *)sizes + 16, sizeof emulated_tiles.row_bytes);
    memcpy(emulated_tiles.rows, (const char *)sizes + 48, sizeof emulated_tiles.rows);
}

static inline void emulated_tile_zero(size_t tile)
{
    memset(emulated_tiles.bytes[tile], 0, sizeof emulated_tiles.bytes[tile]);
}

static inline void emulated_tile_loadd(size_t tile, const void *from, size_t stride)
{
    emulated_tile_zero(tile);
    for (size_t row = 0; row < emulated_tiles.rows[tile]; row++) {
        memcpy(emulated_tiles.bytes[tile][row], (const char *)from + row * stride, emulated_tiles.row_bytes[tile]);
    }
}

static inline void emulated_tile_stored(size_t tile, void *to, size_t stride)
{
    for (size_t row = 0; row < emulated_tiles.rows[tile]; row++) {
        memcpy((char *)to + row * stride, emulated_tiles.bytes[tile][row], emulated_tiles.row_bytes[tile]);
    }
}

// A function that adds to a lane of `sums` the products of four bytes of a row of `a` with four of a lane of `b`.
#define EMULATED_TILE_PRODUCTS(name, a_type, b_type)                                                  \
    static inline void name(size_t sums, size_t a, size_t b)                                          \
    {                                                                                                 \
        for (size_t row = 0; row < emulated_tiles.rows[sums]; row++) {                                \
            for (size_t k = 0; k < emulated_tiles.row_bytes[a]; k++) {                                \
                const uint8_t *bytes = emulated_tiles.bytes[b][k / 4];                                \
                for (size_t lane = 0; lane < emulated_tiles.row_bytes[sums] / 4u; lane++) {           \
                    int32_t sum;                                                                      \
                    memcpy(&sum, &emulated_tiles.bytes[sums][row][4 * lane], sizeof sum);             \
                    sum += (a_type)emulated_tiles.bytes[a][row][k] * (b_type)bytes[4 * lane + k % 4]; \
                    memcpy(&emulated_tiles.bytes[sums][row][4 * lane], &sum, sizeof sum);             \
                }                                                                                     \
            }                                                                                         \
        }                                                                                             \
    }

EMULATED_TILE_PRODUCTS(emulated_tile_dpbusd, uint8_t, int8_t)
EMULATED_TILE_PRODUCTS(emulated_tile_dpbsud, int8_t, uint8_t)

#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbusd
#undef _tile_dpbsud
#undef _tile_zero
#define _tile_loadconfig(sizes) emulated_tile_loadconfig(sizes)
#define _tile_release() memset(&emulated_tiles, 0, sizeof emulated_tiles)
#define _tile_zero(tile) emulated_tile_zero(tile)
#define _tile_loadd(tile, from, stride) emulated_tile_loadd(tile, from, stride)
#define _tile_stored(tile, to, stride) emulated_tile_stored(tile, to, stride)
#define _tile_dpbusd(sums, a, b) emulated_tile_dpbusd(sums, a, b)
#define _tile_dpbsud(sums, a, b) emulated_tile_dpbsud(sums, a, b)

#endif
