-- avx512.lua: AVX-512 (F, DQ, BW, VL), sixteen floats a vector, thirty-two registers (Intel since Skylake-SP, AMD since
-- Zen 4). The costs are ratios, true of both one 512-bit multiply-add a cycle (Zen 4) and two (Intel's servers).
return {
  name = "avx512", width = 16, registers = 32, max_accumulators = 24, type = "__m512",
  headers = { "immintrin.h" },
  cflags = { "-mavx512f", "-mavx512dq", "-mavx512bw", "-mavx512vl", "-mavx2", "-mfma" },
  cpu = { "AVX512F", "AVX512DQ", "AVX512BW", "AVX512VL", "AVX2", "FMA" },
  fma_per_cycle = 2, loads_per_cycle = 2, fma_latency = 4,
  spell = {
    zero = "_mm512_setzero_ps()", splat = "_mm512_set1_ps(%s)", load = "_mm512_loadu_ps(%s)",
    store = "_mm512_storeu_ps(%s, %s)", add = "_mm512_add_ps(%s, %s)", sub = "_mm512_sub_ps(%s, %s)",
    mul = "_mm512_mul_ps(%s, %s)", max = "_mm512_max_ps(%s, %s)", fmadd = "_mm512_fmadd_ps(%s, %s, %s)",
    round = "_mm512_roundscale_ps(%s, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)",
  },
  helpers = [[
static inline float vec_max(__m512 v)
{
    const __m256 h = _mm256_max_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

static inline float vec_sum(__m512 v)
{
    const __m256 h = _mm256_add_ps(_mm512_castps512_ps256(v), _mm512_extractf32x8_ps(v, 1));
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

// p * 2^n for whole n >= -127; 2^-127 counts as 0, as in the other sets. A NaN in p stays one.
static inline __m512 vec_exp2_scale(__m512 p, __m512 n)
{
    const __mmask16 normal = _mm512_cmp_ps_mask(n, _mm512_set1_ps(-127.0f), _CMP_NEQ_UQ);
    return _mm512_maskz_scalef_ps(normal, p, n);
}

static inline __mmask16 vec_first(int32_t count)
{
    return _mm512_cmpgt_epi32_mask(_mm512_set1_epi32(count),
                                   _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}

// v in lanes below limit, else -inf.
static inline __m512 vec_below(__m512 v, int32_t limit)
{
    return _mm512_mask_blend_ps(vec_first(limit), _mm512_set1_ps(-INFINITY), v);
}

// The first count floats at p, zeros behind; reads no further.
static inline __m512 vec_load_part(const float *p, int32_t count)
{
    return _mm512_maskz_loadu_ps(vec_first(count), p);
}

// Writes the first count lanes; touches no further.
static inline void vec_store_part(float *p, __m512 v, int32_t count)
{
    _mm512_mask_storeu_ps(p, vec_first(count), v);
}
]],
}
