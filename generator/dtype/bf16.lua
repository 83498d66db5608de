-- bf16.lua: the upper half of a float: its sign, its whole exponent and 8 bits of significand. Becoming a float it is
-- exact; made of one it is rounded to the nearest, ties to even, and a NaN stays one.

-- 16-bit elements widened to 32 bits and moved to their upper half; avx512 names 512-bit casts, avx2 256-bit ones.
local function widened(prefix, bits, elements)
  return ("%s_castsi%d_ps(%s_slli_epi32(%s_cvtepu16_epi32(%s), 16))"):format(prefix, bits, prefix, prefix, elements)
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
