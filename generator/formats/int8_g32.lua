-- int8_g32.lua: 8 bits a weight and a half for each group of 32, symmetric, as Q8_0 of llama.cpp has them: the largest
-- magnitude is 127. Numbers are kept as they are over -128.
--
-- Rows are multiplied as 8 bits as well: each group of a row has a scale of its own. The sum of its products with a
-- column is exact on every instruction set, and both scales come after it in one order (docs/numbers.md). Weights may
-- be of any format with such groups.
local groups = require "formats.vocabulary.groups"
local words = require "formats.vocabulary.words"

local GROUP = 32
local LARGEST = 127
local FACTS = 16 -- bytes

-- A group of a row has numbers, and facts, by which kernels begin and end: step, less, start and minus say where each
-- is, in bytes from the first one on. Facts follow the numbers of their group, or stand apart after all of those.
-- Kernels by vectors take less time by the former, and those by matrix registers by the latter: no rows of theirs then
-- cross a line of a cache. number_step, fact_step: bytes from those of a group to those of the next; group_bytes: of
-- both; facts_at(depth): from the beginning of a row to its facts.
local function row_of(number, bytes, is_apart)
  local numbers = GROUP * bytes
  local all = numbers + FACTS
  return { name = number .. " in groups", numbers = number, is_apart = is_apart, step = 0, less = 4, start = 8,
    minus = 12, group_bytes = all, number_step = is_apart and numbers or all, fact_step = is_apart and FACTS or all,
    facts_at = function(depth) return is_apart and depth * bytes or numbers end }
end

local BYTES = { row = row_of("int8_t", 1, false), type = "unsigned char", bytes = 1 }
local BYTES_APART = { row = row_of("int8_t", 1, true), type = "unsigned char", bytes = 1 }
local FLOATS = { row = row_of("float", 4, false), type = "float", bytes = 4 }

-- What a row is to templates, by how numbers are kept.
local function row(kind)
  return setmetatable({ type = kind.type, bytes = kind.bytes }, { __index = kind.row })
end

local format = groups.format("int8_g32", "int8", 8, "half", 128)

format.product = {
  sentence = "rows of 8 bits by weights of groups, in sums of 32 products", alignment = GROUP, sum = GROUP,
  group = GROUP,
  -- Bytes are multiplied four at a time, or floats one by one.
  ways = {
    { product = "grouped_matrices", store = "store_int8", words = { "bits_of", "kept_apart" } },
    { product = "grouped_bytes", store = "store_int8", words = { "bits_of", "kept_apart" } },
    { words = { "bits_of" } },
  },
  vocabulary = function(set, W)
    local V, product = set.V, set.products.grouped_bytes
    local by_matrix = set.products.grouped_matrices
    local of_bytes = product ~= nil
    local kind = of_bytes and (by_matrix and BYTES_APART or BYTES) or FLOATS
    return {
      name = "int8_g32", word = "int8", is_narrow = true, in_groups = true, of_bytes = of_bytes, largest_row = LARGEST,
      row = row(kind), panel = { name = W.name, type = W.type, bytes = W.bytes }, header = 0,
      matrix = words.of(by_matrix and by_matrix.matrix), unit = 1, vector = V.type, sum = V.type, groups = W,
      column_bytes = W.column_bytes_of,
      zero = W.zero and W.zero - (of_bytes and product.less or 0), -- what products leave of the weights' zero
      store = of_bytes and V.store_int8 or function(to, v) return V.store(to, V.round(v)) end,
      dot = of_bytes and function(bytes, numbers, sum) return product.dot:format(sum, bytes, numbers) end or nil,
      shorts = of_bytes and function(sum, a, b) return product.shorts:format(sum, a, b) end or nil,
    }
  end,
}

return format
