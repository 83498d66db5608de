-- avx512bf16.lua: AVX-512 on CPUs that multiply bf16 (AMD since Zen 4, Intel's servers since Cooper Lake).
-- Intel's CPUs (seen: Emerald Rapids) begin one vdpbf16ps in two cycles but two multiply-adds of floats in each, which
-- so do twice as many products. AMD's begin as many of both (Zen 4: one a cycle); SSE4a is theirs alone.
return {
  name = "avx512bf16", of = "avx512",
  products = {
    bf16 = {
      unit = 2, upper_first = true, cflags = { "-mavx512bf16" }, cpu = { "AVX512_BF16" }, prefers = { "SSE4A" },
      splat = "_mm512_set1_epi32(lane_at(&%s))", load = "_mm512_loadu_si512(%s)", dot = "add_bf16_pairs(%s, %s, %s)",
      store = "store_bf16_pairs(%s, %s)",
      in_order = "_mm256_storeu_si256((__m256i *)(%s), (__m256i)_mm512_cvtneps_pbh(%s))",
      helpers = [[

// Adds the products of each lane's elements to it, that of the upper ones first.
static inline __m512 add_bf16_pairs(__m512 sum, __m512i a, __m512i b)
{
    return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
}

// Floats, none of them subnormal, rounded, in pairs of which the first is the upper half.
static inline void store_bf16_pairs(uint16_t *to, __m512 v)
{
    const __m256i rounded = (__m256i)_mm512_cvtneps_pbh(v);
    _mm256_storeu_si256((__m256i *)to, _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(rounded, 0xb1), 0xb1));
}
]],
    },
  },
}
