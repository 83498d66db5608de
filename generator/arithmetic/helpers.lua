-- helpers.lua: C functions that the expressions of several arithmetics call.
local helpers = {}

-- How the two sets that have VNNI spell it: a vector's type, what intrinsics begin and end with, what the instruction
-- begins with, the registers that it takes, and what the compiler defines where it may make it.
local VNNI = {
  avx512 = { VECTOR = "__m512i", BEGIN = "_mm512", END = "epi32", PREFIX = "", REGISTER = "v",
    DEFINED = "__AVX512VNNI__" },
  avx2vnni = { VECTOR = "__m256i", BEGIN = "_mm256", END = "avx_epi32", PREFIX = "%{vex%} ", REGISTER = "x",
    DEFINED = "__AVXVNNI__" },
}

-- Of an instruction set with VNNI: a function `name` that adds products to the lanes of a sum; operation: what does so,
-- as instruction and intrinsic call it. gcc 12 copies the sum around the intrinsic, and keeps half of a register tile
-- on the stack for it; with the instruction itself it does neither.
function helpers.add_products(set, name, operation)
  local words = setmetatable({ NAME = name, OPERATION = operation }, { __index = VNNI[set] })
  local text = [[

// Adds the products of each lane's elements to it.
static inline <VECTOR> <NAME>(<VECTOR> sum, <VECTOR> a, <VECTOR> b)
{
#if defined(__GNUC__) && !defined(__clang__) && defined(<DEFINED>)
    __asm__("<PREFIX>vp<OPERATION> %2, %1, %0" : "+<REGISTER>"(sum) : "<REGISTER>"(a), "<REGISTER>"(b));
    return sum;
#else
    return <BEGIN>_<OPERATION>_<END>(sum, a, b);
#endif
}
]]
  return (text:gsub("<(%u+)>", function(word) return words[word] end))
end

-- Of AVX2.
helpers.store_int16 = [[

// Eight floats, rounded to the nearest, as integers of 16 bits.
static inline void store_int16(int16_t *to, __m256 v)
{
    const __m256i whole = _mm256_cvtps_epi32(v);
    _mm_storeu_si128((__m128i *)to, _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1)));
}
]]

-- Of AVX2.
helpers.store_int8 = [[

// Eight floats from -128 to 127, rounded to the nearest, as bytes.
static inline void store_int8(int8_t *to, __m256 v)
{
    const __m256i whole = _mm256_cvtps_epi32(v);
    const __m128i half = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    _mm_storel_epi64((__m128i *)to, _mm_packs_epi16(half, half));
}
]]

-- Of AVX2: where they are offsets, which are never negative.
helpers.store_uint8 = [[

// Eight floats from 0 to 255, rounded to the nearest, as bytes.
static inline void store_uint8(uint8_t *to, __m256 v)
{
    const __m256i whole = _mm256_cvtps_epi32(v);
    const __m128i half = _mm_packs_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
    _mm_storel_epi64((__m128i *)to, _mm_packus_epi16(half, half));
}
]]

return helpers
