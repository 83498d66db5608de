-- avx512.lua: AVX-512 Foundation, sixteen floats a vector, thirty-two registers (Intel since Skylake-SP, AMD since
-- Zen 4). The costs are ratios, true of both one 512-bit multiply-add a cycle (Zen 4) and two (Intel's servers).

local kept_apart = require "isa.x86.kept_apart"
local vnni = require "isa.x86.vnni"

-- The text of vec_transpose, eight columns at a time: pairs of rows, fours, then a permutation of two fours; each step
-- spelled out so that all stays in registers.
local function transpose()
  local lines = {}
  local function out(...) lines[#lines + 1] = "    " .. string.format(...) end
  out("const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13); // quarters 0 of both, then 2 of both")
  out("const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15); // quarters 1, then 3")
  out("for (size_t c = 0; c < 16; c += 8, from += 8, to += 8 * to_stride) {")
  local function inner(...) out("    " .. string.format(...)) end
  for i = 0, 7 do -- columns c .. c + 7 of row i, and of row i + 8 after them
    inner("const __m512 r%d = vec_halves(_mm256_loadu_ps(from + %d * stride), _mm256_loadu_ps(from + %d * stride));",
      i, i, i + 8)
  end
  for i = 0, 7, 2 do
    inner("const __m512 t%d = _mm512_unpacklo_ps(r%d, r%d);", i, i, i + 1)
    inner("const __m512 t%d = _mm512_unpackhi_ps(r%d, r%d);", i + 1, i, i + 1)
  end
  for d = 0, 3 do -- column d, and d + 4 in the odd quarters; a: rows 0..3 and 8..11, b: rows 4..7 and 12..15
    local pair, half = d < 2 and 0 or 1, d % 2 == 0 and "0x44" or "0xee"
    inner("const __m512d a%d = _mm512_castps_pd(_mm512_shuffle_ps(t%d, t%d, %s));", d, pair, pair + 2, half)
    inner("const __m512d b%d = _mm512_castps_pd(_mm512_shuffle_ps(t%d, t%d, %s));", d, pair + 4, pair + 6, half)
    inner("_mm512_storeu_pd(to + %d * to_stride, _mm512_permutex2var_pd(a%d, even, b%d));", d, d, d)
    inner("_mm512_storeu_pd(to + %d * to_stride, _mm512_permutex2var_pd(a%d, odd, b%d));", d + 4, d, d)
  end
  out("}")
  return "\nstatic inline __m512 vec_halves(__m256 low, __m256 high)\n{\n" ..
    "    const __m512d wide = _mm512_castps_pd(_mm512_castps256_ps512(low));\n" ..
    "    return _mm512_castpd_ps(_mm512_insertf64x4(wide, _mm256_castps_pd(high), 1));\n}\n" ..
    "\n// Transposes 16 rows of 16 floats, row stride `stride`, into rows at stride `to_stride`.\n" ..
    "static inline void vec_transpose(const float *from, size_t stride, float *to, size_t to_stride)\n{\n" ..
    table.concat(lines, "\n") .. "\n}\n"
end

local LOAD, SPLAT = "_mm512_loadu_si512(%s)", "_mm512_set1_epi32(lane_at(&%s))"
local NARROW_16 = "_mm256_storeu_si256((__m256i *)(%s), _mm512_cvtepi32_epi16(%s))" -- the lowest bits, of either sign
local NARROW_8 = "_mm_storeu_si128((__m128i *)(%s), _mm512_cvtepi32_epi8(%s))"

-- The word that stores four vectors of integers as bytes, which they fit.
local function four_bytes(element, narrow)
  return { "vec_store_four_" .. element .. "(%s, %s, %s, %s, %s)", cflags = { "-mavx512bw" }, cpu = { "AVX512BW" },
    helpers = ([[

// Four vectors of integers as bytes, one vector after the other. Narrowing mixes their quarters.
static inline void vec_store_four_%s(void *to, __m512i a, __m512i b, __m512i c, __m512i d)
{
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const __m512i bytes = %s(_mm512_packs_epi32(a, b), _mm512_packs_epi32(c, d));
    _mm512_storeu_si512(to, _mm512_permutexvar_epi32(order, bytes));
}
]]):format(element, narrow) }
end

local KEPT_APART = kept_apart({ TYPE = "__m512i", REGISTER = "v", DEFINED = "__AVX512F__" })
local products = vnni({ TYPE = "__m512i", BEGIN = "_mm512", END = "epi32", PREFIX = "", REGISTER = "v",
  IF = "defined(__GNUC__) && !defined(__clang__) && defined(__AVX512VNNI__)" }, SPLAT, LOAD,
  { cflags = { "-mavx512vnni" }, cpu = { "AVX512_VNNI" } })

return {
  name = "avx512", arch = "x86_64", width = 16, registers = 32, max_accumulators = 24, type = "__m512",
  headers = { "immintrin.h" },
  cflags = { "-mavx512f", "-mavx2", "-mfma" }, cpu = { "AVX512F", "AVX2", "FMA" },
  fma_per_cycle = 2, loads_per_cycle = 2, fma_latency = 4, widens_for_fma = true, scale_shift = 0,
  spell = {
    zero = "_mm512_setzero_ps()", splat = "_mm512_set1_ps(%s)", load = "_mm512_loadu_ps(%s)",
    store = "_mm512_storeu_ps(%s, %s)", add = "_mm512_add_ps(%s, %s)", sub = "_mm512_sub_ps(%s, %s)",
    mul = "_mm512_mul_ps(%s, %s)", max = "_mm512_max_ps(%s, %s)", fmadd = "_mm512_fmadd_ps(%s, %s, %s)",
    above = "_mm512_mask_mov_ps(%s, vec_first(%s), _mm512_set1_ps(-INFINITY))",
    round = "vec_round(%s)",
    fraction = "_mm512_sub_round_ps(%s, %s, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)",
    sqrt = "_mm512_sqrt_ps(%s)", div = "_mm512_div_ps(%s, %s)", fmsub = "_mm512_fmsub_ps(%s, %s, %s)",
    int_zero = "_mm512_setzero_si512()", int_splat = "_mm512_set1_epi32(%s)", int_load = LOAD,
    int_add = "_mm512_add_epi32(%s, %s)", int_sub = "_mm512_sub_epi32(%s, %s)",
    int_mul = "_mm512_mullo_epi32(%s, %s)", int_max = "_mm512_max_epi32(%s, %s)",
    int_and = "_mm512_and_si512(%s, %s)", int_or = "_mm512_or_si512(%s, %s)",
    int_where_above = "_mm512_maskz_mov_epi32(_mm512_cmpgt_epi32_mask(%s, %s), %s)",
    shl = "_mm512_slli_epi32(%s, %s)", shr = "_mm512_srai_epi32(%s, %s)", shr_bits = "_mm512_srli_epi32(%s, %s)",
    to_floats = "_mm512_cvtepi32_ps(%s)", to_ints = "_mm512_cvtps_epi32(%s)", to_nearest = "vec_nearest(%s)",
    bits_of = "_mm512_castps_si512(%s)", floats_of = "_mm512_castsi512_ps(%s)",
    int_load_int8 = "_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(%s)))",
    int_load_uint8 = "_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(%s)))",
    int_load_uint16 = "_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(%s)))",
    int_store_int8 = NARROW_8, int_store_uint8 = NARROW_8, int_store_int16 = NARROW_16, int_store_uint16 = NARROW_16,
    kept_apart = { "vec_kept_apart(%s)", helpers = KEPT_APART },
    int_store_four_int8 = four_bytes("int8", "_mm512_packs_epi16"),
    int_store_four_uint8 = four_bytes("uint8", "_mm512_packus_epi16"),
    int_largest = "_mm512_reduce_max_epi32(%s)", int_sum = "_mm512_reduce_add_epi32(%s)",
    load_f16 = "_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(%s)))",
    load_e5m3 = "_mm512_cvtph_ps(_mm256_slli_epi16(_mm256_cvtepu8_epi16(_mm_loadu_si128((const __m128i *)(%s))), 7))",
  },
  ints = "__m512i", products = products,
  helpers = [[
static inline __m256 vec_upper(__m512 v)
{
    return _mm256_castpd_ps(_mm512_extractf64x4_pd(_mm512_castps_pd(v), 1));
}

static inline float vec_max(__m512 v)
{
    const __m256 h = _mm256_max_ps(_mm512_castps512_ps256(v), vec_upper(v));
    __m128 m = _mm_max_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    m = _mm_max_ps(m, _mm_movehl_ps(m, m));
    return _mm_cvtss_f32(_mm_max_ss(m, _mm_movehdup_ps(m)));
}

static inline float vec_sum(__m512 v)
{
    const __m256 h = _mm256_add_ps(_mm512_castps512_ps256(v), vec_upper(v));
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(h), _mm256_extractf128_ps(h, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

// The nearest whole number. Without optimization gcc's header has this as a macro, and warns of the sign of its mask.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
static inline __m512 vec_round(__m512 v)
{
    return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// The same as integers.
static inline __m512i vec_nearest(__m512 v)
{
    return _mm512_cvt_roundps_epi32(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
#pragma GCC diagnostic pop

// p 2^n for whole n; 0 below -150, whatever p is, in lanes that are not computed: an Intel CPU takes some hundred
// cycles more for a product that underflows. A NaN in n stays one.
static inline __m512 vec_exp2_scale(__m512 p, __m512 n)
{
    return _mm512_maskz_scalef_ps(_mm512_cmp_ps_mask(n, _mm512_set1_ps(-150.0f), _CMP_NLT_UQ), p, n);
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

// The first count floats at p, zeros after; reads no further.
static inline __m512 vec_load_tail(const float *p, int32_t count)
{
    return _mm512_maskz_loadu_ps(vec_first(count), p);
}

// Writes the first count lanes; touches no further.
static inline void vec_store_tail(float *p, __m512 v, int32_t count)
{
    _mm512_mask_storeu_ps(p, vec_first(count), v);
}
]] .. transpose(),
  extras = {
    turn_pairs = [[

// Turns the first count floats at x, pair by pair, by the angles whose cosine and sine stand in their places of table.
static inline void vec_turn_pairs(float *x, const float *table, int32_t count)
{
    const __m512 v = count < 16 ? vec_load_tail(x, count) : _mm512_loadu_ps(x);
    const __m512 angles = count < 16 ? vec_load_tail(table, count) : _mm512_loadu_ps(table);
    const __m512 crossed = _mm512_mul_ps(_mm512_permute_ps(v, 0xb1), _mm512_movehdup_ps(angles));
    const __m512 turned = _mm512_fmaddsub_ps(v, _mm512_moveldup_ps(angles), crossed);
    if (count < 16)
        vec_store_tail(x, turned, count);
    else
        _mm512_storeu_ps(x, turned);
}
]],
    choose = [[

// v in lanes whose byte at p is not zero, else other.
static inline __m512 vec_choose(const uint8_t *p, __m512 v, __m512 other)
{
    const __m512i bytes = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)p));
    return _mm512_mask_blend_ps(_mm512_test_epi32_mask(bytes, bytes), other, v);
}
]],
    add_mask = [[

// v + m, and -inf in lanes where m is -inf, whatever v is there.
static inline __m512 vec_add_mask(__m512 v, __m512 m)
{
    return _mm512_mask_add_ps(m, _mm512_cmp_ps_mask(m, _mm512_set1_ps(-INFINITY), _CMP_NEQ_UQ), v, m);
}
]],
  },
}
