-- bf16.lua: rows and weights rounded to bf16, whose products join a sum of floats one after the other in depth, so that
-- every instruction set gives the same bits (docs/numbers.md). vdpbf16ps takes a lane's two elements, the upper one
-- first. Elsewhere multiply-adds of floats take them one by one; these sets keep rows as floats, rounded.
local SUM = 128 -- products of a running sum

-- Smaller numbers are rounded to 0. vdpbf16ps takes subnormal products and sums for 0, and a set of multiply-adds keeps
-- them. A number of 8 bits that is not smaller is a multiple of 2^-63, so that products, and sums of them however they
-- are rounded, are multiples of 2^-126: none is subnormal.
local LEAST = "0x1p-56f"

local HELPERS = [[

// Rounded as a product reads it: what is smaller than 2^-56 is zero, so that no product or sum is subnormal.
static inline uint16_t bf16_rounded(float x)
{
    return bf16_from_float(fabsf(x) < ]] .. LEAST .. [[ ? 0.0f : x);
}
]]

-- Intel's CPUs (seen: Emerald Rapids) begin one vdpbf16ps in two cycles but two multiply-adds of floats in each, which
-- so do twice as many products. AMD's begin as many of both (Zen 4: one a cycle); SSE4a is theirs alone.
local DOT = {
  of = "avx512", unit = 2, row = { name = "bf16", type = "uint16_t", bytes = 2 }, upper_first = true,
  cflags = { "-mavx512bf16" }, cpu = { "AVX512_BF16" }, prefers = { "SSE4A" }, vector = "__m512i",
  load = { [0] = "_mm512_loadu_si512(%s)" }, splat = "_mm512_set1_epi32(lane_at(&%s))", store = "store_bf16(%s, %s)",
  in_order = "_mm256_storeu_si256((__m256i *)(%s), round_bf16(%s))",
  dot = function(a, b, sum) return ("add_bf16_pairs(%s, %s, %s)"):format(sum, a, b) end,
  helpers = [[

// Sixteen floats rounded as bf16_rounded does.
static inline __m256i round_bf16(__m512 v)
{
    const __mmask16 is_kept = _mm512_cmp_ps_mask(_mm512_abs_ps(v), _mm512_set1_ps(]] .. LEAST .. [[), _CMP_NLT_UQ);
    return (__m256i)_mm512_maskz_cvtneps_pbh(is_kept, v);
}

// Rounded, in pairs of which the first is the upper half.
static inline void store_bf16(uint16_t *to, __m512 v)
{
    const __m256i rounded = round_bf16(v);
    _mm256_storeu_si256((__m256i *)to, _mm256_shufflehi_epi16(_mm256_shufflelo_epi16(rounded, 0xb1), 0xb1));
}

// Adds the products of each lane's elements to it, that of the upper ones first.
static inline __m512 add_bf16_pairs(__m512 sum, __m512i a, __m512i b)
{
    return _mm512_dpbf16_ps(sum, (__m512bh)a, (__m512bh)b);
}
]],
}

-- Sets of multiply-adds of floats. load: of a lane's two elements, by their place, or of the one there is.
local sets = {
  avx512 = {
    unit = 2, one_by_one = true,
    load = {
      [0] = "_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_loadu_si512(%s), 16))",
      "_mm512_castsi512_ps(_mm512_and_si512(_mm512_loadu_si512(%s), _mm512_set1_epi32(-65536)))",
    },
    store = "_mm512_storeu_ps(%s, round_bf16(%s))",
    in_order = "store_upper(%s, round_bf16(%s))",
    helpers = [[

// Floats rounded as bf16_rounded does; a NaN stays as it is.
static inline __m512 round_bf16(__m512 v)
{
    const __m512i bits = _mm512_castps_si512(v);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i up = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
    const __m512 rounded = _mm512_castsi512_ps(_mm512_and_si512(up, _mm512_set1_epi32(-65536)));
    const __mmask16 is_kept = _mm512_cmp_ps_mask(_mm512_abs_ps(v), _mm512_set1_ps(]] .. LEAST .. [[), _CMP_NLT_UQ);
    return _mm512_mask_mov_ps(_mm512_maskz_mov_ps(is_kept, rounded), _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), v);
}

// The upper halves of floats.
static inline void store_upper(uint16_t *to, __m512 v)
{
    _mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(_mm512_srli_epi32(_mm512_castps_si512(v), 16)));
}
]],
  },
  avx2 = {
    unit = 2, one_by_one = true,
    load = {
      [0] = "_mm256_castsi256_ps(_mm256_slli_epi32(_mm256_loadu_si256((const __m256i *)(%s)), 16))",
      "_mm256_castsi256_ps(_mm256_and_si256(_mm256_loadu_si256((const __m256i *)(%s)), _mm256_set1_epi32(-65536)))",
    },
    store = "_mm256_storeu_ps(%s, round_bf16(%s))",
    in_order = "store_upper(%s, round_bf16(%s))",
    helpers = [[

// Floats rounded as bf16_rounded does; a NaN stays as it is.
static inline __m256 round_bf16(__m256 v)
{
    const __m256i bits = _mm256_castps_si256(v), upper = _mm256_set1_epi32(-65536);
    const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const __m256i up = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
    const __m256 size = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
    const __m256 is_kept = _mm256_cmp_ps(size, _mm256_set1_ps(]] .. LEAST .. [[), _CMP_NLT_UQ);
    const __m256 rounded = _mm256_and_ps(_mm256_castsi256_ps(_mm256_and_si256(up, upper)), is_kept);
    return _mm256_blendv_ps(rounded, v, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
}

// The upper halves of floats.
static inline void store_upper(uint16_t *to, __m256 v)
{
    const __m256i upper = _mm256_srli_epi32(_mm256_castps_si256(v), 16);
    const __m128i low = _mm256_castsi256_si128(upper), high = _mm256_extracti128_si256(upper, 1);
    _mm_storeu_si128((__m128i *)to, _mm_packus_epi32(low, high));
}
]],
  },
  scalar = {
    unit = 1, load = { [0] = "bf16_to_float(*(%s))" }, store = "*(%s) = bf16_to_float(bf16_rounded(%s))",
    in_order = "*(%s) = bf16_rounded(%s)", helpers = "",
  },
}
for _, set in ipairs({ sets.avx512, sets.avx2, sets.scalar }) do
  set.row, set.cflags, set.cpu = { name = "rounded floats", type = "float", bytes = 4 }, {}, {}
  set.emulates = true
end
sets.avx512bf16 = DOT
for _, set in ipairs({ sets.avx512, sets.avx2, sets.scalar, DOT }) do set.helpers = HELPERS .. set.helpers end

return {
  name = "bf16", elements = "bf16", sum = SUM, attends = true, sets = sets, refined = { "avx512bf16" },
  vocabulary = function(isa)
    local V, set = isa.V, sets[isa.name] or sets[isa.base]
    return setmetatable({
      name = "bf16", is_narrow = true, panel = { name = "bf16", type = "uint16_t", bytes = 2 }, header = 0,
      vector = set.vector or V.type, sum = V.type,
      column_bytes = function(length) return length * 2 end,
      splat = set.splat and function(element) return set.splat:format(element) end or V.splat,
      dot = set.dot or V.fmadd,
      load = function(pointer, part) return set.load[part]:format(pointer) end,
      store = function(...) return set.store:format(...) end,
      in_order = function(...) return set.in_order:format(...) end,
      place = function(i) return (set.upper_first and "1 - %s %% 2" or "%s %% " .. set.unit):format(i) end,
      from_float = function(value) return ("bf16_rounded(%s)"):format(value) end,
      start = function() return V.zero() end,
      total = function(sum, _, _, before) return V.add(before, sum) end,
    }, { __index = set })
  end,
}
