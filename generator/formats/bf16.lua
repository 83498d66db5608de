-- bf16.lua: the upper half of a float: its sign, its whole exponent and 8 bits of significand. Becoming a float it is
-- exact; from one it is rounded to the nearest, ties to even, and a NaN stays one.
--
-- Products of rows and weights rounded to bf16 join a sum of floats one after the other in depth, so that every
-- instruction set gives the same bits (docs/numbers.md). Sets with a product of bf16 take a lane's two elements at a
-- time, the upper one first. Elsewhere multiply-adds of floats take them one by one; these sets keep rows as floats,
-- rounded.
local SUM = 128 -- products of a running sum

-- Smaller numbers are rounded to 0. AVX512_BF16 takes subnormal products and sums for 0, and a set of multiply-adds
-- keeps them. A number of 8 bits that is not smaller is a multiple of 2^-63, so that products, and sums of them however
-- they are rounded, are multiples of 2^-126: none is subnormal.
local BELOW_LEAST = "0x237fffff" -- the bits of the greatest float below 2^-56

-- Vectors as a product reads them: what is smaller than 2^-56 is zero, so that no product or sum is subnormal. With
-- `rounds` they are rounded, too; others a product's own store rounds. The runtime packs weights so
-- (runtime/packing/panel_formats.c).
local function vectors(V, rounds)
  local kept = V.floats_of(V.int_where_above(V.int_and("bits", V.int_splat("0x7fffffff")), V.int_splat(BELOW_LEAST),
    "bits"))
  return ([[

// Zero for what is smaller than 2^-56%s.
static inline %s vec_bf16_operand(%s v)
{
    const %s bits = %s;
    const %s kept = %s;
    return %s;
}
]]):format(rounds and ", the others rounded" or "", V.type, V.type, V.ints, V.bits_of("v"), V.type, kept,
    rounds and V.round_bf16("kept") or "kept")
end

local panel = { name = "bf16", type = "uint16_t", bytes = 2 }

-- What templates may say where a set has the product (isa.init).
local function by_product(V, product)
  local function spelled(format) return function(...) return format:format(...) end end
  local function stored(format)
    return function(pointer, v) return format:format(pointer, ("vec_bf16_operand(%s)"):format(v)) end
  end
  local dot = spelled(product.dot)
  return { row = panel, unit = product.unit, vector = V.ints, upper_first = product.upper_first,
    splat = spelled(product.splat), load = spelled(product.load),
    dot = function(a, b, sum) return dot(sum, a, b) end,
    store = stored(product.store), in_order = stored(product.in_order) }
end

-- And where floats are multiplied: two elements lie in a lane, but where a vector is one float.
local function by_floats(V)
  local function upper(pointer) return V.floats_of(V.int_and(V.int_load(pointer), V.int_splat("-65536"))) end
  local function lower(pointer) return V.floats_of(V.shl(V.int_load(pointer), "16")) end
  local loads = V.width > 1 and { [0] = lower, upper } or { [0] = V.load_bf16 }
  return { row = { name = "rounded floats", type = "float", bytes = 4 }, unit = #loads + 1, one_by_one = V.width > 1,
    vector = V.type, splat = V.splat, dot = V.fmadd,
    load = function(pointer, place) return loads[place](pointer) end,
    store = function(pointer, v) return V.store(pointer, ("vec_bf16_operand(%s)"):format(v)) end,
    in_order = function(pointer, v) return V.store_upper(pointer, ("vec_bf16_operand(%s)"):format(v)) end }
end

local HELPERS = [[
union bf16_bits {
    uint32_t bits;
    float number;
};

static inline float bf16_to_float(uint16_t element)
{
    return (union bf16_bits){.bits = (uint32_t)element << 16}.number;
}

// Rounds to the nearest, ties to even; a NaN stays one.
static inline uint16_t bf16_from_float(float x)
{
    const uint32_t bits = (union bf16_bits){.number = x}.bits, upper = bits >> 16;
    return (uint16_t)(x != x ? upper | 0x40 : (bits + 0x7fff + (upper & 1)) >> 16);
}
]]

-- What templates may say of its products.
local function vocabulary(set)
  local V, product = set.V, set.products.bf16
  local X = product and by_product(V, product) or by_floats(V)
  return setmetatable({
    name = "bf16", is_narrow = true, panel = panel, header = 0, sum = V.type,
    column_bytes = function(length) return length * 2 end,
    place = function(i) return (X.upper_first and "1 - %s %% 2" or "%s %% " .. X.unit):format(i) end,
    start = function() return V.zero() end,
    total = function(sum, _, _, before) return V.add(before, sum) end,
  }, { __index = X })
end

return {
  name = "bf16", bits = 16, weights = true, rows = true, bytes = 2, type = "uint16_t",
  from_float = "bf16_from_float(%s)", to_float = "bf16_to_float(%s)", load = "load_bf16", store = "store_bf16",
  helpers = HELPERS,
  product = {
    sentence = "rows and weights rounded to bf16, in sums of 128 products",
    attends = "attention multiplies queries, keys, softmax weights and values rounded to bf16",
    elements = true, sum = SUM,
    ways = { { product = "bf16", words = { "bits_of", "floats_of" } },
      { words = { "round_bf16", "store_upper", "load_bf16" }, emulates = true } },
    functions = function(set) return vectors(set.V, not set.products.bf16) end,
    vocabulary = vocabulary,
  },
}
