-- bf16.lua: the upper half of a float: its sign, its whole exponent and 8 bits of significand. Becoming a float it is
-- exact; made of one it is rounded to the nearest, ties to even, and a NaN stays one.

-- 16-bit elements widened to 32 bits and moved to their upper half; avx512 names 512-bit casts, avx2 256-bit ones.
local function widened(prefix, bits, elements)
  return ("%s_castsi%d_ps(%s_slli_epi32(%s_cvtepu16_epi32(%s), 16))"):format(prefix, bits, prefix, prefix, elements)
end

local STORE = "vec_store_bf16(%s, %s)"

-- The head of vec_store_bf16 for vectors of a C type; what follows is its body.
local function stores(type, body)
  return ([[

// Writes the lanes of v as elements: rounded to the nearest, ties to even; a NaN stays one.
static inline void vec_store_bf16(uint16_t *p, %s v)
{
]]):format(type) .. body .. "}\n"
end

return {
  name = "bf16", bytes = 2, type = "uint16_t",
  from_float = "bf16_from_float(%s)", to_float = "bf16_to_float(%s)",
  load = {
    avx512 = widened("_mm512", 512, "_mm256_loadu_si256((const __m256i *)(%s))"),
    avx2 = widened("_mm256", 256, "_mm_loadu_si128((const __m128i *)(%s))"),
    neon = "vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(%s), 16))",
    scalar = "bf16_to_float(*(%s))",
  },
  store = { avx512 = STORE, avx2 = STORE, neon = STORE, scalar = "*(%s) = bf16_from_float(%s)" },
  store_helpers = {
    avx512 = stores("__m512", [[
    const __m512i bits = _mm512_castps_si512(v), upper = _mm512_srli_epi32(bits, 16);
    const __m512i half = _mm512_add_epi32(_mm512_set1_epi32(0x7fff), _mm512_and_si512(upper, _mm512_set1_epi32(1)));
    const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, half), 16);
    const __m512i elements = _mm512_mask_or_epi32(rounded, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), upper,
                                                  _mm512_set1_epi32(0x40));
    _mm256_storeu_si256((__m256i *)p, _mm512_cvtepi32_epi16(elements));
]]),
    avx2 = stores("__m256", [[
    const __m256i bits = _mm256_castps_si256(v), upper = _mm256_srli_epi32(bits, 16);
    const __m256i half = _mm256_add_epi32(_mm256_set1_epi32(0x7fff), _mm256_and_si256(upper, _mm256_set1_epi32(1)));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half), 16);
    const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    const __m256i is_nan = _mm256_castps_si256(_mm256_cmp_ps(v, v, _CMP_UNORD_Q));
    const __m256i elements = _mm256_blendv_epi8(rounded, quiet, is_nan);
    _mm_storeu_si128((__m128i *)p, _mm_packus_epi32(_mm256_castsi256_si128(elements),
                                                    _mm256_extracti128_si256(elements, 1)));
]]),
    neon = stores("float32x4_t", [[
    const uint32x4_t bits = vreinterpretq_u32_f32(v), upper = vshrq_n_u32(bits, 16);
    const uint32x4_t half = vaddq_u32(vdupq_n_u32(0x7fff), vandq_u32(upper, vdupq_n_u32(1)));
    const uint32x4_t rounded = vshrq_n_u32(vaddq_u32(bits, half), 16);
    const uint32x4_t quiet = vorrq_u32(upper, vdupq_n_u32(0x40));
    vst1_u16(p, vmovn_u32(vbslq_u32(vceqq_f32(v, v), rounded, quiet)));
]]),
  },
  helpers = [[
union bf16_bits {
    uint32_t bits;
    float number;
};

static inline float bf16_to_float(uint16_t element)
{
    return (union bf16_bits){.bits = (uint32_t)element << 16}.number;
}

// Rounds to the nearest, ties to even; a NaN stays one.
static inline uint16_t bf16_from_float(float x)
{
    const uint32_t bits = (union bf16_bits){.number = x}.bits, upper = bits >> 16;
    return (uint16_t)(x != x ? upper | 0x40 : (bits + 0x7fff + (upper & 1)) >> 16);
}
]],
}
