-- int8.lua: rows of 8 bits with a range of their own for each running sum, times weights of 8 bits with a scale for
-- each column of it. A row's zero is one of its 255 steps. Sets that multiply bytes keep it as an offset, and begin
-- each sum with what it adds; others keep the difference in 16 bits, as products of bytes saturate there (vpmaddubsw).
local helpers = require "arithmetic.helpers"

local STEPS = 254    -- between a row's least and greatest: one less than bytes hold, as both ends are rounded
-- Products of a running sum: far fewer than 32 bits hold, as each has a scale of its own. Sentences of MiniLM are half
-- as far from f32's as with one sum for all.
local SUM = 256
local WEIGHT_SCALE = "largest / 127.0"
-- Of attention, steps of keys and values from zero to their largest magnitude; and of softmax weights, without a sign.
local LARGEST_KEY, LARGEST_WEIGHT = 127, 255

local byte = { name = "int8", type = "int8_t", bytes = 1 }
local offset_byte = { name = "uint8", type = "uint8_t", bytes = 1 }
local difference = { name = "int16", type = "int16_t", bytes = 2 }

-- The lowest bytes, which are those of either sign.
local STORE_512 = "_mm_storeu_si128((__m128i *)(%s), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(%s)))"

return {
  name = "int8", sum = SUM, largest_row = STEPS, weight_scale = WEIGHT_SCALE, is_offset = true,
  attends = true, largest_key = LARGEST_KEY, largest_weight = LARGEST_WEIGHT,
  refined = { "avx2vnni" },
  sets = {
    avx512 = {
      row = offset_byte, panel = byte, unit = 4, header = 8, has_offset = true,
      cflags = { "-mavx512vnni" }, cpu = { "AVX512_VNNI" }, vector = "__m512i", sum = "__m512i",
      zero = "_mm512_mullo_epi32(_mm512_set1_epi32(%s), _mm512_loadu_si512(%s))",
      none = "_mm512_setzero_si512()",
      splat = "_mm512_set1_epi32(lane_at(&%s))", load = "_mm512_loadu_si512(%s)",
      dot = function(a, b, sum) return ("add_fours(%s, %s, %s)"):format(sum, a, b) end,
      helpers = helpers.add_products("avx512", "add_fours", "dpbusd"),
      to_floats = "_mm512_cvtepi32_ps(%s)",
      store = STORE_512, in_order = STORE_512,
    },
    avx2vnni = {
      of = "avx2", row = offset_byte, panel = byte, unit = 4, header = 8, has_offset = true,
      cflags = { "-mavxvnni" }, cpu = { "AVX_VNNI" }, vector = "__m256i", sum = "__m256i",
      zero = "_mm256_mullo_epi32(_mm256_set1_epi32(%s), _mm256_loadu_si256((const __m256i *)(%s)))",
      none = "_mm256_setzero_si256()",
      splat = "_mm256_set1_epi32(lane_at(&%s))", load = "_mm256_loadu_si256((const __m256i *)(%s))",
      dot = function(a, b, sum) return ("add_fours(%s, %s, %s)"):format(sum, a, b) end,
      helpers = helpers.add_products("avx2vnni", "add_fours", "dpbusd") .. helpers.store_uint8 ..
        helpers.store_int8,
      to_floats = "_mm256_cvtepi32_ps(%s)", store = "store_uint8(%s, %s)", in_order = "store_int8(%s, %s)",
    },
    avx2 = {
      row = difference, panel = byte, unit = 2, header = 4, cflags = {}, cpu = {}, vector = "__m256i", sum = "__m256i",
      zero = "_mm256_setzero_si256()", splat = "_mm256_set1_epi32(lane_at(&%s))",
      load = "_mm256_cvtepi8_epi16(_mm_loadu_si128((const __m128i *)(%s)))",
      dot = function(a, b, sum) return ("_mm256_add_epi32(%s, _mm256_madd_epi16(%s, %s))"):format(sum, a, b) end,
      to_floats = "_mm256_cvtepi32_ps(%s)", store = "store_int16(%s, %s)", in_order = "store_int8(%s, %s)",
      helpers = { helpers.store_int16, helpers.store_int8 },
    },
    scalar = {
      row = difference, panel = byte, unit = 1, header = 4, cflags = {}, cpu = {}, vector = "int32_t", sum = "int32_t",
      zero = "0", splat = "%s", load = "*(%s)",
      dot = function(a, b, sum) return ("%s + %s * %s"):format(sum, a, b) end,
      to_floats = "(float)%s", store = "*(%s) = (int16_t)vec_round(%s)", in_order = "*(%s) = (int8_t)vec_round(%s)",
    },
  },
}
