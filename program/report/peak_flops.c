// peak_flops.c: register-only multiply-add loops, one an ISA, timed.
// Each keeps enough independent sums to fill the pipelines (latency times units) and touches no memory inside.
#include "peak_flops.h"

#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "cpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

enum { ROUNDS = 4096 }; // of a loop between two looks at the clock

// What each sum is multiplied by and what is added: sums settle at 1, never denormal, never infinite. The loops are
// given them at run time, for a compiler that knew them could work out a sum and drop it while it is still counted.
#define FACTOR 0.75f
#define ADDED 0.25f

// Named variables, not an array, so that every compiler keeps them in registers.
#define TWELVE(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define TWENTY_FOUR(X) TWELVE(X) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)

// -- Any CPU --------------------------------------------------------------------------------------------------------

#define ANY_SUMS 12
#if defined(__aarch64__) // whose every CPU has a fused one, which C says of no vector
typedef float32x4_t any_vector;
#define MULTIPLY_ADD(s, factor, added) vfmaq_f32(added, s, factor)
#else
typedef float any_vector __attribute__((vector_size(16)));
#define MULTIPLY_ADD(s, factor, added) ((s) * (factor) + (added))
#endif

static float any_rounds(float by, float plus)
{
    const any_vector factor = {by, by, by, by}, added = {plus, plus, plus, plus};
#define START(i) any_vector s##i = {(float)i, 1.0f, 2.0f, 3.0f};
    TWELVE(START)
#undef START
    for (int round = 0; round < ROUNDS; round++) {
#define STEP(i) s##i = MULTIPLY_ADD(s##i, factor, added);
        TWELVE(STEP)
#undef STEP
    }
    any_vector total = {0};
#define ADD(i) total += s##i;
    TWELVE(ADD)
#undef ADD
    return total[0] + total[1] + total[2] + total[3];
}

// -- x86-64 ---------------------------------------------------------------------------------------------------------

#if defined(__x86_64__)
#define AVX2_SUMS 12

__attribute__((target("avx2,fma"))) static float avx2_rounds(float by, float plus)
{
    const __m256 factor = _mm256_set1_ps(by), added = _mm256_set1_ps(plus);
#define START(i) __m256 s##i = _mm256_set1_ps((float)i);
    TWELVE(START)
#undef START
    for (int round = 0; round < ROUNDS; round++) {
#define STEP(i) s##i = _mm256_fmadd_ps(s##i, factor, added);
        TWELVE(STEP)
#undef STEP
    }
    __m256 total = _mm256_setzero_ps();
#define ADD(i) total = _mm256_add_ps(total, s##i);
    TWELVE(ADD)
#undef ADD
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(total), _mm256_extractf128_ps(total, 1));
    return _mm_cvtss_f32(half);
}

#define AVX512_SUMS 24

__attribute__((target("avx512f"))) static float avx512_rounds(float by, float plus)
{
    const __m512 factor = _mm512_set1_ps(by), added = _mm512_set1_ps(plus);
#define START(i) __m512 s##i = _mm512_set1_ps((float)i);
    TWENTY_FOUR(START)
#undef START
    for (int round = 0; round < ROUNDS; round++) {
#define STEP(i) s##i = _mm512_fmadd_ps(s##i, factor, added);
        TWENTY_FOUR(STEP)
#undef STEP
    }
    __m512 total = _mm512_setzero_ps();
#define ADD(i) total = _mm512_add_ps(total, s##i);
    TWENTY_FOUR(ADD)
#undef ADD
    return _mm512_reduce_add_ps(total);
}
#endif

// -- The clock ------------------------------------------------------------------------------------------------------

// Of one call of rounds: a multiply and an add for each float of each sum.
#define FLOPS(width, sums) (2.0 * (double)((width) * (sums)*ROUNDS))

static const struct loop {
    const char *isa; // NULL: any
    uint32_t cpu;    // GA_CPU_* bits it needs
    double flops;    // of one call of rounds
    float (*rounds)(float by, float plus);
} loops[] = {
#if defined(__x86_64__)
    {"avx512", GA_CPU_AVX512F, FLOPS(16, AVX512_SUMS), avx512_rounds},
    {"avx2", GA_CPU_AVX2 | GA_CPU_FMA, FLOPS(8, AVX2_SUMS), avx2_rounds},
#endif
    {NULL, 0, FLOPS(4, ANY_SUMS), any_rounds},
};

double ga_peak_gflops(const char *isa)
{
    const struct loop *loop = loops;
    while (loop->isa && strncmp(loop->isa, isa, strlen(loop->isa)) != 0) { // or a set that refines it
        loop++;
    }
    if (!ga_cpu_has(loop->cpu)) {
        return 0.0;
    }
    volatile float by = FACTOR, plus = ADDED;
    volatile float kept; // the sums must be of use, or there would be no loop
    double flops = 0.0, start = ga_seconds_now(), spent = 0.0;
    while (spent < 3e-3) {
        kept = loop->rounds(by, plus);
        flops += loop->flops;
        spent = ga_seconds_now() - start;
    }
    (void)kept;
    return flops / spent / 1e9;
}
