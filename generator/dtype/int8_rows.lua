-- int8_rows.lua: rows of a cache as whole numbers of a step that is the row's own, 127 of them at most on both sides of
-- zero. An element is made of a float that is such a number already; what a step is worth is no element's to know.

local STORE = "vec_store_int8(%s, %s)"

-- The head of vec_store_int8 for vectors of a C type; what follows is its body.
local function stores(type, body)
  return ([[

// Writes the lanes of v, whole numbers from -127 to 127, as elements.
static inline void vec_store_int8(int8_t *p, %s v)
{
]]):format(type) .. body .. "}\n"
end

return {
  name = "int8_rows", bytes = 1, type = "int8_t", steps = "bf16", largest = 127, enum = "I8",
  from_float = "(int8_t)%s", to_float = "(float)%s",
  load = {
    avx512 = "_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(%s))))",
    avx2 = "_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(%s))))",
    neon = "vec_load_int8(%s)",
    scalar = "(float)*(%s)",
  },
  store = {
    avx512 = "_mm_storeu_si128((__m128i *)(%s), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(%s)))",
    avx2 = STORE, neon = STORE, scalar = "*(%s) = (int8_t)%s",
  },
  store_helpers = {
    avx2 = stores("__m256", [[
    const __m256i numbers = _mm256_cvtps_epi32(v);
    const __m128i halves = _mm_packs_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
    _mm_storel_epi64((__m128i *)p, _mm_packs_epi16(halves, halves));
]]),
    neon = [[

// Four elements as floats; they begin at any byte.
static inline float32x4_t vec_load_int8(const int8_t *p)
{
    uint32_t four;
    memcpy(&four, p, sizeof four);
    return vcvtq_f32_s32(vmovl_s16(vget_low_s16(vmovl_s8(vcreate_s8(four)))));
}
]] .. stores("float32x4_t", [[
    const int16x4_t halves = vmovn_s32(vcvtnq_s32_f32(v));
    const uint32_t four = vget_lane_u32(vreinterpret_u32_s8(vmovn_s16(vcombine_s16(halves, halves))), 0);
    memcpy(p, &four, sizeof four);
]]),
  },
}
