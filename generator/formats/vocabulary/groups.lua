-- vocabulary/groups.lua: what number formats with a scale for each group along depth have in common: their layout, and
-- how each instruction set unpacks them and multiplies them by rows. A weight is scale (number - zero). How numbers are
-- chosen is the packer's (runtime/packing/group_rounding.c); C functions are in
-- templates/linear/group_functions.h.lt.
--
-- A group holds LENGTH weights of every column of a panel: the scales; the zeros, a byte each, where the type keeps
-- them; then words of 32 bits, [depth / unit][columns], whose four bytes hold weights that follow each other in depth:
-- of int4 the next four are in the upper halves of the bytes.
--
-- Rows of floats are kept in groups beside them, as whole numbers (templates/linear/digit_rows.c.lt): as three signed
-- digits, or the upper two as one part of 16 bits. Sums of products are exact, so that every set has the same ones,
-- whatever it multiplies at once.
local groups = {}

local LENGTH = 32
local ZERO_STEPS = 16 -- that a zero is a whole number of, in parts of one

-- What scales are kept as: the word that loads them; bytes; and what they are in units of, 2^-unit. A byte is what
-- follows the sign in the upper half of a half.
local SCALES = {
  half = { name = "half", load = "load_f16", bytes = 2, unit = 0 },
  byte = { name = "byte", load = "load_e5m3", bytes = 1, unit = 8 },
}

-- The parts of a number of a row, the greatest first: names, C types, bytes of one, and where those of a group begin.
-- After them, at starts_at, there is what the sum with each begins with; then, at sum_at and step_at, the sum of the
-- group's numbers and what a step is worth. bytes: of all.
local DIGITS = { parts = { { name = "high", type = "int8_t", bytes = 1, at = 0 },
  { name = "middle", type = "int8_t", bytes = 1, at = LENGTH },
  { name = "low", type = "int8_t", bytes = 1, at = 2 * LENGTH } } }
local HALVES = { parts = { { name = "upper", type = "int16_t", bytes = 2, at = 0 },
  { name = "low", type = "int16_t", bytes = 2, at = 2 * LENGTH } } }
for _, kind in ipairs({ DIGITS, HALVES }) do
  local last = kind.parts[#kind.parts]
  kind.starts_at = last.at + LENGTH * last.bytes
  kind.sum_at = kind.starts_at + 4 * #kind.parts
  kind.step_at = kind.sum_at + 4
  kind.bytes = math.ceil((kind.step_at + 4) / 16) * 16
end

-- Where in its word the i-th number of one lies, of places of so many bits: those of four in depth lie in four bytes.
function groups.place(i, bits)
  return i % 4 * math.floor(8 / bits) + math.floor(i / 4)
end

-- How a set keeps rows: as `parts`, with what else is its own:
--   made                       the template that makes parts of numbers
--   lane                       the C type of what kernels take of a row at a time
--   put                        the word that stores a vector of numbers as those of a part; order: of these before
--   lanes, add                 where a vector of a part is multiplied lane by lane, which hold four numbers: how many
--                              those are; and add(sum, numbers, part, lane): the C of a sum and what they add
--   bias                       what products have taken off each weight too little, which their sums begin with
--   in_16_bits                 the product whose sums have 16 bits, two in a lane, where that is so
--   words, products            of the instruction set, which kernels use
--   tile                       what of the set counts otherwise for register tiles of these kernels: the sums of all
--                              parts are in the set's registers for sums, or in so many as own.room says
--   pieces                     of a word, { of, products }: of(word): the C of some of its numbers; and of each part
--                              that they are multiplied by { part, after, add }: its place in `parts`; that of the
--                              first number in the word; and add(sum, piece, part): the C of a sum and what they add
local function kept_as(parts, set, own)
  own.made = set.V.width > 1 and "linear/digits" or "linear/digits_plain"
  own.tile = { max_accumulators = math.floor((own.room or set.max_accumulators) / #parts.parts), fma_latency = 1 }
  return setmetatable(own, { __index = parts })
end

-- The numbers `after` in a word, as `of` gives them, times each of so many parts of a row.
local function piece(of, count, after, add)
  local products = {}
  for part = 1, count do products[part] = { part = part, after = after, add = add } end
  return { of = of, products = products }
end

-- A product's sum and what it adds.
local function added(product)
  return function(...) return product.dot:format(...) end
end

-- The same, of which the compiler knows nothing.
local function apart(V, product)
  local add = added(product)
  return function(...) return V.kept_apart(add(...)) end
end

-- The i-th four numbers of a word as bytes.
local function bytes_of(V, bits, i, word)
  if bits == 8 then return word end
  return V.int_and(i > 0 and V.shr_bits(word, "4") or word, V.int_splat("0x0f0f0f0f"))
end

-- The same times the parts of a zero: of 4 bits, in the upper halves of bytes.
local function parts_of(V, bits, i, word)
  if bits == 8 then return word end
  return V.int_and(i > 0 and word or V.shl(word, "4"), V.int_splat("-252645136")) -- 0xf0f0f0f0
end

-- Sums of their own of the halves of bytes as they are, a sixteenth of those parts: for one row of the lower halves, so
-- that products do not all wait for each other; or, if the product says so, for all rows of both, in 16 bits.
local function sums_of_halves(V, product)
  local halves, own = product.halves, { of = function(i, word) return bytes_of(V, 4, i, word) end }
  own.all = halves ~= nil
  function own.load(pointer) return V.kept_apart(V.int_load(pointer)) end
  function own.add(sum, bytes, numbers) return (halves or product).dot:format(sum, bytes, numbers) end
  function own.raised(sum) return halves and halves.to_ints:format(sum, "16") or V.shl(sum, "4") end
  return own
end

-- Two bytes at a time, which sums of products of 4 bits allow: through a group they stay in 16 bits.
local function by_bytes_in_16_bits(set)
  local V, product, pieces = set.V, set.products.bytes_in_16_bits, {}
  for i = 0, 1 do
    pieces[i + 1] = piece(function(word) return bytes_of(V, 4, i, word) end, 3, 4 * i, apart(V, product))
  end
  return kept_as(DIGITS, set, { lane = "int32_t", put = "int_store_int8", in_16_bits = product, pieces = pieces,
    words = { "kept_apart" }, products = { product } })
end

-- Four bytes at a time, each four by one lane of a row's, so that a load serves all lanes. The weights of all lanes
-- take registers of sums. A byte of 8 bits that would have a sign is made less what the product says.
local function by_lanes_of_bytes(set, bits)
  local product, pieces, lanes = set.products.bytes_by_lane, {}, set.V.width
  local lessen = bits == 8 and product.lessen or "%s"
  for i = 0, 8 / bits - 1 do
    pieces[i + 1] = piece(function(word) return lessen:format(bytes_of(set.V, bits, i, word)) end, 0, 4 * i)
  end
  return kept_as(DIGITS, set, { lane = "int32_t", put = "int_store_int8", lanes = lanes, products = { product },
    pieces = pieces, less = bits == 8 and product.less or 0,
    room = set.max_accumulators - lanes,
    add = added(product) })
end

-- Four bytes at a time, each digit of a row by all columns.
local function by_digits(set, bits)
  local product, pieces = set.products.bytes, {}
  for i = 0, 8 / bits - 1 do
    pieces[i + 1] = piece(function(word) return bytes_of(set.V, bits, i, word) end, 3, 4 * i, apart(set.V, product))
  end
  return kept_as(DIGITS, set, { lane = "int32_t", put = "int_store_int8", pieces = pieces,
    words = { "kept_apart" }, products = { product } })
end

-- Two numbers of 16 bits at a time: those in even bytes of a word, then those in odd ones.
local function by_pairs(set)
  local V, product = set.V, set.products.int16
  local add = added(product)
  return kept_as(HALVES, set, { lane = "int32_t", put = "int_store_int16", order = "evens_first",
    products = { product }, pieces = {
      piece(function(word) return V.int_and(word, V.int_splat("0x00ff00ff")) end, 2, 0, add),
      piece(function(word) return V.shr_halves(word, "8") end, 2, 2, add) } })
end

-- The numbers from the i-th of a word on, lowest bits first.
local function from_number(V, bits, i, word)
  local by = bits * groups.place(i, bits)
  return by == 0 and word or V.shr_bits(word, ("%d"):format(by))
end

-- One number after the other.
local function one_by_one(set, bits)
  local V, product, pieces = set.V, set.products.ints, {}
  local add = added(product)
  local mask = V.int_splat(("0x%x"):format(2 ^ bits - 1))
  for i = 0, 32 / bits - 1 do
    pieces[i + 1] = piece(function(word) return V.int_and(from_number(V, bits, i, word), mask) end, 2, i, add)
  end
  -- Compilers have the next numbers of vectors in registers, too.
  local room = V.width > 1 and math.floor(set.max_accumulators * 2 / 3) or set.max_accumulators
  return kept_as(HALVES, set, { lane = "int16_t", put = "int_store_int16", products = { product },
    pieces = pieces, room = room })
end

local function digits_of(set, bits)
  local has = set.products
  if has.bytes_by_lane then return by_lanes_of_bytes(set, bits) end
  if has.bytes then return by_digits(set, bits) end
  if has.bytes_in_16_bits and bits == 4 then return by_bytes_in_16_bits(set) end
  if has.int16 and has.int16.unit == 2 then return by_pairs(set) end
  return one_by_one(set, bits)
end

-- Whether sets multiply rows of floats by weights of a format by different products.
function groups.differ(t, set, other)
  return digits_of(set, t.bits).products[1] ~= digits_of(other, t.bits).products[1]
end

-- What templates may say of a format on an instruction set: its fields, and
--   word, load_word(pointer)   32 bits of each column
--   digits                     as above
--   parts_of(i, word)          the same in the parts in which zero points are told, where rows of 8 bits are multiplied
--                              as bytes; elsewhere
--   halves                     there, of 4 bits, sums of halves of bytes: all: for all rows, of both halves;
--                              load(pointer): a word, which compilers do not read twice; of(i, word): the i-th halves
--                              of its bytes; add(sum, bytes, numbers): the sum and their products; raised(sum): in
--                              parts
--   numbers(i, word, zero)     the C of a word's i-th numbers over zero as floats
--   load_scales(pointer)       scales of a vector of columns, in their unit
function groups.vocabulary(t, set)
  local V = set.V
  local W = setmetatable({ word = set.ints, load_word = V.int_load, digits = digits_of(set, t.bits) }, { __index = t })
  W.digits.bias = t.bias - (W.digits.less or 0)
  if set.products.grouped_bytes then
    function W.parts_of(i, word) return parts_of(V, t.bits, i, word) end
    W.halves = t.bits == 4 and sums_of_halves(V, set.products.grouped_bytes) or nil
  else
    function W.numbers(i, word, zero)
      return ("lowest_numbers(%s, %s)"):format(from_number(V, t.bits, i, word), zero)
    end
  end
  W.load_scales = V[t.scale.load]
  return W
end

-- What a format's functions call and need on a set (isa.vocabulary).
function groups.needs(t, set)
  local digits = digits_of(set, t.bits)
  local words = { t.scale.load, "int_load", "int_load_uint8", "int_max", "int_largest", "int_sum", digits.put }
  for _, word in ipairs(digits.words or {}) do words[#words + 1] = word end
  return set.needs(words, digits.products)
end

-- The table of a format (formats/init.lua) of so many bits a number; scale: what those of groups are kept as; zero: the
-- number that stands for zero, nil where each group has a zero point of its own. Of its fields:
--   group, unit                weights along depth that share a scale; those that lie in a word of a column
--   zero, zero_steps           as above, or the parts of one in which zero points are told
--   bias                       the number in the middle, over which products with rows of digits are
--   facts, column_bytes        bytes of a group's column before its words, and all of them
function groups.format(name, word, bits, scale, zero)
  local t = { name = name, word = word, weights = true, type = "unsigned char", bytes = 1, bits = bits, group = LENGTH,
    unit = math.floor(32 / bits), bias = math.floor(2 ^ (bits - 1)), zero = zero,
    zero_steps = not zero and ZERO_STEPS or nil, scale = SCALES[scale] }
  t.facts = t.scale.bytes + (zero and 0 or 1)
  t.column_bytes = t.facts + math.floor(LENGTH * bits / 8)
  return t
end

return groups
