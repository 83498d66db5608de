-- int8.lua: rows of 8 bits with a range of their own for each running sum, times weights of 8 bits with a scale for
-- each column of it. A row's zero is one of its 255 steps. Sets that multiply bytes keep it as an offset, and begin
-- each sum with what it adds; where they multiply signed ones alone, rows are kept less 128. Others keep the difference
-- in 16 bits, as products of bytes saturate there (vpmaddubsw).
local STEPS = 254    -- between a row's least and greatest: one less than bytes hold, as both ends are rounded
-- Products of a running sum: far fewer than 32 bits hold, as each has a scale of its own. Sentences of MiniLM are half
-- as far from f32's as with one sum for all.
local SUM = 256
-- Of attention, steps of keys and values from zero to their largest magnitude; and of softmax weights, without a sign.
local LARGEST_KEY, LARGEST_WEIGHT = 127, 255

local byte = { name = "int8", type = "int8_t", bytes = 1 }
local offset_byte = { name = "uint8", type = "uint8_t", bytes = 1 }
local difference = { name = "int16", type = "int16_t", bytes = 2 }

local function by_bytes(product)
  return { product = product, row = offset_byte, panel = byte, header = 8, has_offset = true, store = "store_uint8",
    in_order = "store_int8" }
end

return {
  name = "int8", bits = 8,
  product = {
    sentence = "rows of 8 bits by weights of 8 bits, in sums of 256 products",
    attends = "attention multiplies queries, keys, softmax weights and values of 8 bits",
    sum = SUM, largest_row = STEPS, is_offset = true,
    largest_key = LARGEST_KEY, largest_weight = LARGEST_WEIGHT, cached = "int8_row",
    ways = {
      by_bytes("byte_matrices"),
      by_bytes("bytes"),
      { product = "signed_bytes", row = byte, panel = byte, header = 8, has_offset = true, middle = 128,
        store = "store_int8", in_order = "store_int8" },
      { product = "int16", row = difference, panel = byte, header = 4, load = "load_int8", store = "store_int16",
        in_order = "store_int8" },
    },
  },
}
