-- int8_groups.lua: rows of 8 bits beside weights that are kept in groups: each group of a row has a step of its own.
-- The sum of its products with a column is exact on every instruction set, and scale and step come after it in one
-- order (docs/numbers.md). Specs call it int8, as they do rows of 8 bits times weights of 8 bits.
local GROUP = 32
local LARGEST = 127

-- A group of a row lies together: its numbers, then what kernels begin and end with, in bytes from its start on.
local function row_of(number, bytes)
  local facts = GROUP * bytes
  return { name = number .. " in groups", numbers = number, step = facts, sum = facts + 4, start = facts + 8,
    group_bytes = facts + 16 }
end

-- Of a set that multiplies bytes, four at a time, and of one that multiplies floats.
local BYTES = { row = row_of("int8_t", 1), type = "unsigned char", bytes = 1,
  store = "_mm_storeu_si128((__m128i *)(%s), _mm512_cvtepi32_epi8(_mm512_cvtps_epi32(%s)))" }
local FLOATS = { row = row_of("float", 4), type = "float", bytes = 4 }

local function set_of(kind)
  local row = setmetatable({ type = kind.type, bytes = kind.bytes }, { __index = kind.row })
  return { row = row, store = kind.store, cflags = {}, cpu = {} }
end

local sets = { avx512 = set_of(BYTES), avx2 = set_of(FLOATS), neon = set_of(FLOATS), scalar = set_of(FLOATS) }

return {
  name = "int8_groups", word = "int8", step = GROUP, sum = GROUP, sets = sets,
  vocabulary = function(isa, W)
    local V, set = isa.V, sets[isa.name] or sets[isa.base]
    return {
      name = "int8_groups", word = "int8", is_narrow = true, in_groups = true, largest_row = LARGEST,
      row = set.row, panel = { name = W.name, type = W.type, bytes = W.bytes }, header = 0, unit = 1,
      vector = V.type, sum = V.type, groups = W, column_bytes = W.column_bytes_of,
      store = function(to, v) return set.store and set.store:format(to, v) or V.store(to, V.round(v)) end,
    }
  end,
}
