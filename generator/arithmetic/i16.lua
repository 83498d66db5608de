-- i16.lua: rows of 14 bits times weights of up to 16 in pairs. A row's largest magnitude is 8191; the scale of a
-- column's weights is chosen for each running sum so that no sum of products can leave 32 bits (docs/numbers.md).
local helpers = require "arithmetic.helpers"

local LARGEST_ROW = 8191
local SUM = 256 -- products of a running sum

-- With |row| <= 8191 a sum of products stays in 32 bits where the weights' magnitudes add up to at most 262176.
-- Rounding adds half of one to each of 256, so that their sum before it may be 2^18 - 96. Sums of 128 products of rows
-- of 15 bits are nearer to f32, but become floats twice as often (docs/numbers.md).
local LARGEST_WEIGHT, TOTAL_WEIGHT = 32767, 262048
local WEIGHT_SCALE = ("largest / %d.0 > total / %d.0 ? largest / %d.0 : total / %d.0"):format(
  LARGEST_WEIGHT, TOTAL_WEIGHT, LARGEST_WEIGHT, TOTAL_WEIGHT)

local element = { name = "int16", type = "int16_t", bytes = 2 }

-- What the tables of all sets share.
local function of_pairs(set)
  set.row, set.panel, set.header = element, element, 2
  return set
end

return {
  name = "i16", sum = SUM, largest_row = LARGEST_ROW, weight_scale = WEIGHT_SCALE, is_offset = false, attends = true,
  largest_weight = LARGEST_WEIGHT, total_weight = TOTAL_WEIGHT,
  refined = { "avx2vnni" },
  sets = {
    avx512 = of_pairs({
      unit = 2, cflags = { "-mavx512vnni" }, cpu = { "AVX512_VNNI" }, vector = "__m512i", sum = "__m512i",
      zero = "_mm512_setzero_si512()", splat = "_mm512_set1_epi32(lane_at(&%s))", load = "_mm512_loadu_si512(%s)",
      dot = function(a, b, sum) return ("add_pairs(%s, %s, %s)"):format(sum, a, b) end,
      helpers = helpers.add_products("avx512", "add_pairs", "dpwssd"),
      to_floats = "_mm512_cvtepi32_ps(%s)",
      store = "_mm256_storeu_si256((__m256i *)(%s), _mm512_cvtepi32_epi16(_mm512_cvtps_epi32(%s)))",
    }),
    avx2vnni = of_pairs({
      of = "avx2", unit = 2, cflags = { "-mavxvnni" }, cpu = { "AVX_VNNI" }, vector = "__m256i", sum = "__m256i",
      zero = "_mm256_setzero_si256()", splat = "_mm256_set1_epi32(lane_at(&%s))",
      load = "_mm256_loadu_si256((const __m256i *)(%s))",
      dot = function(a, b, sum) return ("add_pairs(%s, %s, %s)"):format(sum, a, b) end,
      to_floats = "_mm256_cvtepi32_ps(%s)", store = "store_int16(%s, %s)",
      helpers = helpers.add_products("avx2vnni", "add_pairs", "dpwssd") .. helpers.store_int16,
    }),
    avx2 = of_pairs({
      unit = 2, cflags = {}, cpu = {}, vector = "__m256i", sum = "__m256i",
      zero = "_mm256_setzero_si256()", splat = "_mm256_set1_epi32(lane_at(&%s))",
      load = "_mm256_loadu_si256((const __m256i *)(%s))",
      dot = function(a, b, sum) return ("_mm256_add_epi32(%s, _mm256_madd_epi16(%s, %s))"):format(sum, a, b) end,
      to_floats = "_mm256_cvtepi32_ps(%s)", store = "store_int16(%s, %s)",
      helpers = helpers.store_int16,
    }),
    scalar = of_pairs({
      unit = 1, cflags = {}, cpu = {}, vector = "int32_t", sum = "int32_t",
      zero = "0", splat = "%s", load = "*(%s)",
      dot = function(a, b, sum) return ("%s + %s * %s"):format(sum, a, b) end,
      to_floats = "(float)%s", store = "*(%s) = (int16_t)vec_round(%s)",
    }),
  },
}
