-- avx2.lua: AVX2 with FMA, eight floats a vector, sixteen registers (Intel since Haswell, AMD since Zen).
local kept_apart = require "isa.x86.kept_apart"

-- The text of vec_transpose: pairs of rows, then fours, then halves, each step spelled out so that all stays in
-- registers.
local function transpose()
  local lines = {}
  local function out(...) lines[#lines + 1] = "    " .. string.format(...) end
  for i = 0, 7 do out("const __m256 r%d = _mm256_loadu_ps(from + %d * stride);", i, i) end
  for i = 0, 7, 2 do
    out("const __m256 t%d = _mm256_unpacklo_ps(r%d, r%d);", i, i, i + 1)
    out("const __m256 t%d = _mm256_unpackhi_ps(r%d, r%d);", i + 1, i, i + 1)
  end
  for c = 0, 3 do -- column c, and c + 4 in the upper half, of rows 0..3 and of rows 4..7
    local pair, half = c < 2 and 0 or 1, c % 2 == 0 and "0x44" or "0xee"
    out("const __m256 a%d = _mm256_shuffle_ps(t%d, t%d, %s);", c, pair, pair + 2, half)
    out("const __m256 b%d = _mm256_shuffle_ps(t%d, t%d, %s);", c, pair + 4, pair + 6, half)
  end
  for c = 0, 3 do
    out("_mm256_storeu_ps(to + %d * to_stride, _mm256_permute2f128_ps(a%d, b%d, 0x20));", c, c, c)
    out("_mm256_storeu_ps(to + %d * to_stride, _mm256_permute2f128_ps(a%d, b%d, 0x31));", c + 4, c, c)
  end
  return "\n// Transposes 8 rows of 8 floats, row stride `stride`, into rows at stride `to_stride`.\n" ..
    "static inline void vec_transpose(const float *from, size_t stride, float *to, size_t to_stride)\n{\n" ..
    table.concat(lines, "\n") .. "\n}\n"
end

-- Each lane of a vector of integers as one of fewer bits that it fits.
local function narrow(to, bits, body)
  return ([[

static inline void vec_store_%s(%s_t *to, __m256i v)
{
    const __m128i half = _mm_pack%ss_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    %s
}
]]):format(to, to, bits, body)
end

local STORE_16 = "_mm_storeu_si128((__m128i *)to, half);"
local STORE_8 = "_mm_storel_epi64((__m128i *)to, _mm_pack%ss_epi16(half, half));"

-- All lanes joined by an operation.
local function folded(name, operation)
  return (([[

static inline int32_t vec_<NAME>(__m256i v)
{
    __m128i m = <OPERATION>(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    m = <OPERATION>(m, _mm_shuffle_epi32(m, 0x4e));
    return _mm_cvtsi128_si32(<OPERATION>(m, _mm_shuffle_epi32(m, 0xb1)));
}
]]):gsub("<(%u+)>", { NAME = name, OPERATION = operation }))
end

local LOAD, SPLAT = "_mm256_loadu_si256((const __m256i *)(%s))", "_mm256_set1_epi32(lane_at(&%s))"

local KEPT_APART = kept_apart({ TYPE = "__m256i", REGISTER = "x", DEFINED = "__AVX2__" })
local ADD_PAIRS = "vec_kept_apart(_mm256_add_epi32(%s, _mm256_madd_epi16(%s, %s)))"

-- Bytes less 128, by magnitude, times the others with their signs: sums of two such products fit 16 bits (32512).
local FOURS = [[

// Adds to each lane the products of its bytes, less 128, and of the signed ones of `b`, which are not -128.
static inline __m256i add_fours(__m256i sum, __m256i a, __m256i b)
{
    const __m256i less = _mm256_xor_si256(a, _mm256_set1_epi8(-128));
    const __m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(less), _mm256_sign_epi8(b, less));
    return vec_kept_apart(_mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1))));
}
]]

-- Sums of so few products of bytes, or of so small ones, that they fit 16 bits.
local IN_16_BITS = {
  unit = 2, splat = "_mm256_set1_epi8(%s)", load = LOAD,
  dot = "_mm256_add_epi16(%s, _mm256_maddubs_epi16(%s, %s))",
  to_ints = "_mm256_madd_epi16(%s, _mm256_set1_epi16(%s))", fold = "vec_fold_16(%s)",
  helpers = [[

// The sums of all lanes of 16 bits with even places, and with odd ones in the upper half.
static inline int32_t vec_fold_16(__m256i v)
{
    __m128i s = _mm_add_epi16(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi16(s, _mm_shuffle_epi32(s, 0x4e));
    return _mm_cvtsi128_si32(_mm_add_epi16(s, _mm_shuffle_epi32(s, 0xb1)));
}
]],
}

-- A word that needs the conversion of f16.
local function of_f16(format)
  return { format, cflags = { "-mf16c" }, cpu = { "F16C" } }
end

return {
  name = "avx2", arch = "x86_64", width = 8, registers = 16, max_accumulators = 12, type = "__m256",
  headers = { "immintrin.h" }, cflags = { "-mavx2", "-mfma" }, cpu = { "AVX2", "FMA" },
  fma_per_cycle = 2, loads_per_cycle = 2, fma_latency = 4, lowest_exponent = -151, scale_shift = 24,
  spell = {
    zero = "_mm256_setzero_ps()", splat = "_mm256_set1_ps(%s)", load = "_mm256_loadu_ps(%s)",
    store = "_mm256_storeu_ps(%s, %s)", add = "_mm256_add_ps(%s, %s)", sub = "_mm256_sub_ps(%s, %s)",
    mul = "_mm256_mul_ps(%s, %s)", max = "_mm256_max_ps(%s, %s)", fmadd = "_mm256_fmadd_ps(%s, %s, %s)",
    above = "_mm256_blendv_ps(%s, _mm256_set1_ps(-INFINITY), _mm256_castsi256_ps(vec_first(%s)))",
    round = "_mm256_round_ps(%s, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)",
    sqrt = "_mm256_sqrt_ps(%s)", div = "_mm256_div_ps(%s, %s)", fmsub = "_mm256_fmsub_ps(%s, %s, %s)",
    int_zero = "_mm256_setzero_si256()", int_splat = "_mm256_set1_epi32(%s)", int_load = LOAD,
    int_add = "_mm256_add_epi32(%s, %s)", int_sub = "_mm256_sub_epi32(%s, %s)",
    int_mul = "_mm256_mullo_epi32(%s, %s)", int_max = "_mm256_max_epi32(%s, %s)",
    int_and = "_mm256_and_si256(%s, %s)", int_or = "_mm256_or_si256(%s, %s)",
    int_where_above = "_mm256_and_si256(_mm256_cmpgt_epi32(%s, %s), %s)",
    shl = "_mm256_slli_epi32(%s, %s)", shr = "_mm256_srai_epi32(%s, %s)", shr_bits = "_mm256_srli_epi32(%s, %s)",
    to_floats = "_mm256_cvtepi32_ps(%s)", to_ints = "_mm256_cvtps_epi32(%s)",
    bits_of = "_mm256_castps_si256(%s)", floats_of = "_mm256_castsi256_ps(%s)",
    int_load_int8 = "_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(%s)))",
    int_load_uint8 = "_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(%s)))",
    int_load_uint16 = "_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(%s)))",
    int_store_int8 = { "vec_store_int8(%s, %s)", helpers = narrow("int8", "", STORE_8:format("")) },
    int_store_uint8 = { "vec_store_uint8(%s, %s)", helpers = narrow("uint8", "", STORE_8:format("u")) },
    int_store_int16 = { "vec_store_int16(%s, %s)", helpers = narrow("int16", "", STORE_16) },
    int_store_uint16 = { "vec_store_uint16(%s, %s)", helpers = narrow("uint16", "u", STORE_16) },
    int_largest = { "vec_int_largest(%s)", helpers = folded("int_largest", "_mm_max_epi32") },
    int_sum = { "vec_int_sum(%s)", helpers = folded("int_sum", "_mm_add_epi32") },
    load_f16 = of_f16("_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(%s)))"),
    load_e5m3 = of_f16("_mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(%s))), 7))"),
    evens_first = "_mm256_shuffle_epi32(%s, 0xd8)", shr_halves = "_mm256_srli_epi16(%s, %s)",
    kept_apart = { "vec_kept_apart(%s)", helpers = KEPT_APART },
  },
  ints = "__m256i",
  products = {
    int16 = { unit = 2, splat = SPLAT, load = LOAD, helpers = KEPT_APART,
      dot = ADD_PAIRS,
      load_int8 = "_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(%s)))" },
    grouped_bytes = { unit = 4, halves = IN_16_BITS, with = { helpers = KEPT_APART }, helpers = FOURS,
      dot = "add_fours(%s, %s, %s)", less = 128, shorts = ADD_PAIRS },
    bytes_in_16_bits = IN_16_BITS,
  },
  helpers = [[
static inline float vec_max(__m256 v)
{
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

static inline float vec_sum(__m256 v)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

// p 2^(n + 24) for whole n >= -151; at -151 it is 0. A NaN in p stays one.
static inline __m256 vec_exp2_scale(__m256 p, __m256 n)
{
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(151));
    return _mm256_mul_ps(p, _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23)));
}

static inline __m256i vec_first(int32_t count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

// v in lanes below limit, else -inf.
static inline __m256 vec_below(__m256 v, int32_t limit)
{
    return _mm256_blendv_ps(_mm256_set1_ps(-INFINITY), v, _mm256_castsi256_ps(vec_first(limit)));
}

// The first count floats at p, zeros after; reads no further.
static inline __m256 vec_load_tail(const float *p, int32_t count)
{
    return _mm256_maskload_ps(p, vec_first(count));
}

// Writes the first count lanes; touches no further.
static inline void vec_store_tail(float *p, __m256 v, int32_t count)
{
    _mm256_maskstore_ps(p, vec_first(count), v);
}
]] .. transpose(),
  extras = {
    turn_pairs = [[

// Turns the first count floats at x, pair by pair, by the angles whose cosine and sine stand in their places of table.
static inline void vec_turn_pairs(float *x, const float *table, int32_t count)
{
    const __m256 v = count < 8 ? vec_load_tail(x, count) : _mm256_loadu_ps(x);
    const __m256 angles = count < 8 ? vec_load_tail(table, count) : _mm256_loadu_ps(table);
    const __m256 crossed = _mm256_mul_ps(_mm256_permute_ps(v, 0xb1), _mm256_movehdup_ps(angles));
    const __m256 turned = _mm256_fmaddsub_ps(v, _mm256_moveldup_ps(angles), crossed);
    if (count < 8)
        vec_store_tail(x, turned, count);
    else
        _mm256_storeu_ps(x, turned);
}
]],
    choose = [[

// v in lanes whose byte at p is not zero, else other.
static inline __m256 vec_choose(const uint8_t *p, __m256 v, __m256 other)
{
    const __m256i bytes = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)p));
    return _mm256_blendv_ps(other, v, _mm256_castsi256_ps(_mm256_cmpgt_epi32(bytes, _mm256_setzero_si256())));
}
]],
    add_mask = [[

// v + m, and -inf in lanes where m is -inf, whatever v is there.
static inline __m256 vec_add_mask(__m256 v, __m256 m)
{
    const __m256 added = _mm256_cmp_ps(m, _mm256_set1_ps(-INFINITY), _CMP_NEQ_UQ);
    return _mm256_blendv_ps(m, _mm256_add_ps(v, m), added);
}
]],
  },
}
