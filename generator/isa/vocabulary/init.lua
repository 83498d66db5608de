-- isa/vocabulary: what templates and formats may say of an instruction set's vectors: the words that it spells, those
-- that consist of others, and what words call and need.
local lanes = require "isa.vocabulary.lanes"

local vocabulary = {}

-- -- Words that are made of others -----------------------------------------------------------------------------------

-- Each a C expression.
local MADE = {
  load_int8 = function(V, pointer) return V.to_floats(V.int_load_int8(pointer)) end,
  load_bf16 = function(V, pointer) return V.floats_of(V.shl(V.int_load_uint16(pointer), "16")) end,
  round_bf16 = function(_, floats) return ("vec_round_bf16(%s)"):format(floats) end,
  to_nearest = function(V, floats) return V.to_ints(V.round(floats)) end, -- whatever way the CPU is told to round
  fraction = function(V, y, n) return V.sub(y, n) end, -- of y over the nearest whole number
  upper = function(V, floats) return V.shr_bits(V.bits_of(floats), "16") end, -- the upper halves of lanes
  store_upper = function(V, pointer, floats) return V.int_store_uint16(pointer, V.upper(floats)) end,
  store_bf16 = function(V, pointer, floats) return V.store_upper(pointer, V.round_bf16(floats)) end,
}

-- The words that they consist of, as far as these may call or need anything.
local MADE_OF = {
  load_int8 = { "int_load_int8" }, load_bf16 = { "floats_of", "int_load_uint16" },
  round_bf16 = { "bits_of", "floats_of" }, store_upper = { "bits_of", "int_store_uint16" },
  store_bf16 = { "round_bf16", "store_upper" },
}

for _, element in ipairs({ "int8", "uint8", "int16" }) do
  local store = "int_store_" .. element
  MADE["store_" .. element] = function(V, pointer, floats) return V[store](pointer, V.to_ints(floats)) end
  MADE_OF["store_" .. element] = { store }
  -- Statements: four vectors, one after the other.
  local four = "int_store_four_" .. element
  MADE[four] = function(V, pointer, ...)
    local list = { ... }
    for i, ints in ipairs(list) do list[i] = V[store](("%s + %d"):format(pointer, (i - 1) * V.width), ints) end
    return table.concat(list, "; ")
  end
  MADE_OF[four] = { store }
end

-- C functions that they call. The bits of a float lie in the order of its magnitude, those of NaN above all.
local FUNCTIONS = {
  round_bf16 = function(V)
    local magnitude = V.int_and("bits", V.int_splat("0x7fffffff"))
    local odd = V.int_and(V.shr_bits("bits", "16"), V.int_splat("1"))
    local half = V.int_where_above(V.int_splat("0x7f800001"), "magnitude", V.int_add("odd", V.int_splat("0x7fff")))
    local quiet = V.int_where_above("magnitude", V.int_splat("0x7f800000"), V.int_splat("0x400000"))
    local rounded = V.int_and(V.int_or(V.int_add("bits", "half"), "quiet"), V.int_splat("-65536"))
    return ([[

// Floats with the upper half of their bits alone: rounded to the nearest, ties to even; a NaN stays one.
static inline <TYPE> vec_round_bf16(<TYPE> v)
{
    const <INTS> bits = <BITS>, magnitude = <MAGNITUDE>;
    const <INTS> odd = <ODD>;
    const <INTS> half = <HALF>;
    const <INTS> quiet = <QUIET>;
    return <ROUNDED>;
}
]]):gsub("<(%u+)>", { TYPE = V.type, INTS = V.ints, BITS = V.bits_of("v"), MAGNITUDE = magnitude, ODD = odd,
      HALF = half, QUIET = quiet, ROUNDED = V.floats_of(rounded) })
  end,
}

-- -- The vocabulary --------------------------------------------------------------------------------------------------

-- Of a set: V.fmadd(a, b, c) gives the C expression.
function vocabulary.of(set)
  local V = { type = set.type, width = set.width, ints = set.ints }
  setmetatable(V, { __index = function(_, word)
    local spelled, made = set.spell[word], MADE[word]
    if not spelled and made then return function(...) return made(V, ...) end end
    if not spelled then error("no instruction set spells '" .. tostring(word) .. "'", 2) end
    local format = type(spelled) == "table" and spelled[1] or spelled
    return function(...) return format:format(...) end
  end })
  for word, of in pairs(lanes.vocabulary(set, V)) do V[word] = of end
  return V
end

-- Calls f with the table of each word that calls or needs anything, those that a word consists of first.
local function each_table(set, words, f)
  for _, word in ipairs(words) do
    local spelled = set.spell[word]
    if not spelled then each_table(set, MADE_OF[word] or {}, f) end
    if type(spelled) == "table" then f(spelled) end
    if not spelled and FUNCTIONS[word] then f({ helpers = (FUNCTIONS[word](set.V)) }) end
  end
end

-- What a set's words, and products (tables of them), call and need, each once: helpers, C texts; cflags; cpu.
function vocabulary.needs(set, words, products)
  local needs, seen = { helpers = {}, cflags = {}, cpu = {} }, {}
  local function add(of, list)
    for _, item in ipairs(list or {}) do
      if not seen[item] then of[#of + 1] = item end
      seen[item] = true
    end
  end
  local function add_all(own)
    add(needs.helpers, { own.helpers })
    add(needs.cflags, own.cflags)
    add(needs.cpu, own.cpu)
  end
  each_table(set, words, add_all)
  for _, product in ipairs(products or {}) do add_all(product) end
  return needs
end

return vocabulary
