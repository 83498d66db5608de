-- dtype/groups.lua: what element types have in common that keep whole numbers in groups along depth: their layout, and
-- how each instruction set unpacks them and multiplies them by rows. A weight is scale (number - zero). How numbers are
-- chosen is the packer's (templates/linear/pack_groups.c.lt), and C text is group_helpers'.
--
-- A group holds LENGTH weights of every column of a panel: the scales; the zeros, a byte each, where the type keeps
-- them; then words of 32 bits, [depth / unit][columns], whose four bytes hold weights that follow each other in depth:
-- of int4 the next four are in the upper halves of the bytes.
--
-- Rows of floats are kept in groups beside them, as whole numbers (templates/linear/digit_rows.c.lt): as three signed
-- digits, or the upper two as one part of 16 bits. Sums of products are exact, so that every set has the same ones,
-- whatever it multiplies at once.
local group_helpers = require "dtype.group_helpers"

local groups = {}

local LENGTH = 32
local ZERO_STEPS = 16 -- that a zero is a whole number of, in parts of one

-- What scales are kept as: bytes; bits of the significand after the first; what they are in units of, 2^-unit; and from
-- where on a number is too large for one, as C. A byte is what follows the sign in the upper half of a half.
local SCALES = {
  half = { name = "half", bytes = 2, fraction = 10, unit = 0, beyond = "65520.0f" },
  byte = { name = "byte", bytes = 1, fraction = 3, unit = 8, beyond = "248.0f" },
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
--   tile                       what of the set counts otherwise for the register tiles of these kernels
--   by_word                    whether kernels take one word of each column after the other, and have the sums of all
--                              rows and columns in registers; otherwise a vector's words of a group are there, and rows
--                              come one after the other. Of by_word:
--   sum                        the C type of a sum
--   pieces                     of a word, { text, products }: the C of some of its numbers, of the word; and of each
--                              part that they are multiplied by { part, after, add }: its place in `parts`; that of
--                              the first number in the word; and the C of a sum and what a piece and a part add to it
local function kept_as(parts, own)
  return setmetatable(own, { __index = parts })
end

-- By word, with sums in so many registers.
local function kept_by_word(parts, registers, own)
  own.by_word, own.tile = true, { max_accumulators = math.floor(registers / #parts.parts), fma_latency = 1 }
  return kept_as(parts, own)
end

-- Four bytes at a time: sums of three digits, and eight vectors of weights.
local AVX512 = kept_as(DIGITS, { made = "linear/digits_512", tile = { max_accumulators = 16 } })

local function product(part, after, add)
  return { part = part, after = after, add = add }
end

-- AVX2 by bits of a weight's number. Of 4 bits, sums of products of bytes stay in 16 bits through a group.
local AVX2 = {}
local function of_parts(count, after, add)
  local list = {}
  for part = 1, count do list[part] = product(part, after, add) end
  return list
end
AVX2[4] = kept_by_word(DIGITS, 12, { made = "linear/digits_256", sum = "__m256i", pieces = {
  { text = "_mm256_and_si256(%s, _mm256_set1_epi32(0x0f0f0f0f))", products = of_parts(3, 0, "add_bytes(%s, %s, %s)") },
  { text = "_mm256_and_si256(_mm256_srli_epi32(%s, 4), _mm256_set1_epi32(0x0f0f0f0f))",
    products = of_parts(3, 4, "add_bytes(%s, %s, %s)") } } })
AVX2[8] = kept_by_word(HALVES, 12, { made = "linear/digits_256", sum = "__m256i", pieces = {
  { text = "_mm256_and_si256(%s, _mm256_set1_epi32(0x00ff00ff))", products = of_parts(2, 0, "add_pairs(%s, %s, %s)") },
  { text = "_mm256_srli_epi16(%s, 8)", products = of_parts(2, 2, "add_pairs(%s, %s, %s)") } } })

-- One number after the other.
local function one_by_one(bits, registers, sum, down, add)
  local pieces = {}
  for i = 0, 32 / bits - 1 do
    local by = bits * groups.place(i, bits)
    pieces[i + 1] = { text = "lowest_bits(" .. (by == 0 and "%s" or down:format("%s", by)) .. ")",
      products = { product(1, i, add), product(2, i, add) } }
  end
  return kept_by_word(HALVES, registers, { made = "linear/digits_plain", sum = sum, pieces = pieces })
end

-- The i-th four numbers of a word as bytes of AVX-512, by bits of a number.
local BYTES = {
  [4] = { [0] = "_mm512_and_si512(%s, _mm512_set1_epi32(0x0f0f0f0f))",
    "_mm512_and_si512(_mm512_srli_epi32(%s, 4), _mm512_set1_epi32(0x0f0f0f0f))" },
  [8] = { [0] = "%s" },
}

-- By instruction set: word and load; digits; and numbers(i, word, zero), the C of a word's i-th numbers over zero as
-- floats, or bytes(i, word), of its i-th four, where rows of whole numbers are multiplied as bytes, too.
local function sets(t)
  local bits = t.bits
  local function numbers_of(down)
    return function(i, word, zero)
      local by = bits * groups.place(i, bits)
      return ("lowest_numbers(%s, %s)"):format(by == 0 and word or down:format(word, by), zero)
    end
  end
  local down_128, down_32 = "vshrq_n_u32(%s, %d)", "(%s >> %d)"
  return {
    avx512 = { word = "__m512i", load = "_mm512_loadu_si512(%s)", digits = AVX512,
      bytes = function(i, word) return BYTES[bits][i]:format(word) end },
    avx2 = { word = "__m256i", load = "_mm256_loadu_si256((const __m256i *)(%s))", digits = AVX2[bits],
      numbers = numbers_of("_mm256_srli_epi32(%s, %d)") },
    neon = { word = "uint32x4_t", load = "vreinterpretq_u32_u8(vld1q_u8(%s))", numbers = numbers_of(down_128),
      digits = one_by_one(bits, 24, "int32x4_t", down_128, "vmlaq_s32(%s, %s, %s)") },
    scalar = { word = "uint32_t", load = "word_at(%s)", numbers = numbers_of(down_32),
      digits = one_by_one(bits, 12, "int32_t", down_32, "%s + %s * %s") },
  }
end

-- The table of a type (dtype/init.lua) of so many bits a number; scale: what those of groups are kept as; zero: that of
-- all groups, nil where each has its own.
function groups.type(name, bits, scale, zero)
  local t = { name = name, type = "unsigned char", bytes = 1, bits = bits, group = LENGTH, unit = math.floor(32 / bits),
    bias = math.floor(2 ^ (bits - 1)), zero = zero,
    zero_steps = not zero and ZERO_STEPS or nil, scale = SCALES[scale] }
  t.facts = t.scale.bytes + (zero and 0 or 1)
  t.column_bytes = t.facts + math.floor(LENGTH * bits / 8)
  t.sets, t.helpers, t.number_helpers = sets(t), {}, {}
  for isa in pairs(t.sets) do t.helpers[isa], t.number_helpers[isa] = group_helpers.of(t, isa) end
  t.needs = {
    avx512 = { cflags = { "-mavx512vnni" }, cpu = { "AVX512_VNNI" } },
    avx2 = { cflags = { "-mf16c" }, cpu = { "F16C" } },
  }
  return t
end

return groups
