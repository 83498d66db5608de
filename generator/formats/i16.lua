-- i16.lua: rows of 14 bits times weights of up to 16 in pairs. A row's largest magnitude is 8191; the scale of a
-- column's weights is chosen for each running sum so that no sum of products can leave 32 bits (docs/numbers.md).
local LARGEST_ROW = 8191
local SUM = 256 -- products of a running sum

-- With |row| <= 8191 a sum of products stays in 32 bits where the weights' magnitudes add up to at most 262176.
-- Rounding adds half of one to each of 256, so that their sum before it may be 2^18 - 96. Sums of 128 products of rows
-- of 15 bits are nearer to f32, but become floats twice as often (docs/numbers.md).
local LARGEST_WEIGHT, TOTAL_WEIGHT = 32767, 262048

local element = { name = "int16", type = "int16_t", bytes = 2 }

return {
  name = "i16", bits = 16,
  product = {
    sentence = "rows of 14 bits by weights of up to 16, in sums of 256 products",
    attends = "attention multiplies keys and values of 14 bits by queries and softmax weights of up to 16",
    sum = SUM, largest_row = LARGEST_ROW,
    largest_weight = LARGEST_WEIGHT, total_weight = TOTAL_WEIGHT,
    ways = { { product = "int16", row = element, panel = element, header = 2, store = "store_int16" } },
  },
}
