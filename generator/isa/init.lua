-- isa/init.lua: instruction sets as tables of data, and the vocabulary templates spell vector code with.
-- Never says attention: a table gives widths, registers, costs, compiler flags and the spelling of each operation.
--
-- Adding an instruction set is adding one file of its name with these fields; the folder is the list:
--   name, width (floats a vector; no two sets have the same), registers, type (C), headers, cflags
--   arch                       the architecture that it is of, as `cc -dumpmachine` begins; "any": every one
--   cpu                        the features that a CPU of this architecture may lack, as tails of GA_CPU_*
--   max_accumulators           more than this many running sums make compilers spill
--   fma_per_cycle, loads_per_cycle, fma_latency     what the planner weighs tiles by
--   widens_for_fma             whether conversions from 16 bits to floats take the place of multiply-adds
--   lowest_exponent, scale_shift   vec_exp2_scale(p, n) is p 2^(n + scale_shift) for whole n from lowest_exponent on,
--                              where it is 0; nil: for all n, 0 below -150 whatever p is, and fraction(y, n), which is
--                              y - n, raises nothing for both of -inf. The shift keeps its factor a normal number where
--                              the power is a subnormal
--   spell = { operation = format }   zero splat load store add sub mul div sqrt max fmadd fmsub round;
--                              fmsub, a b - c, is rounded once in every set, so that it gives what c lost of a product;
--                              above(v, count): -inf in the first count lanes, else v
--   ints                       C type of a vector of integers of 32 bits, which spell has words for as well:
--                              int_zero int_splat int_load int_add int_sub int_mul int_max int_and int_or;
--                              int_where_above(a, b, v): v where a > b, else 0; shl, shr and shr_bits(v, count): shr
--                              keeps the sign; int_largest, int_sum: of all lanes; to_floats, to_ints (to nearest, ties
--                              to even); bits_of(floats), floats_of(bits)
--                              and for elements of fewer bits at a pointer, one for each lane: int_load_int8,
--                              int_load_uint8, int_load_uint16; int_store_int8 and so on of ints that fit, and
--                              int_store_four_int8 and so on of four vectors of them; load_f16;
--                              load_e5m3: floats of the bytes after the sign in the upper half of an f16
--                              and those of isa/vocabulary that consist of them, which a set may spell itself.
--                              A word is a format, or { format, helpers = C text that it calls, cflags, cpu }
--   products = { name = table }   what multiplies and adds numbers of fewer bits, where the set can (below)
--   helpers                    C text: vec_sum vec_max vec_exp2_scale vec_below vec_transpose, and for width > 1
--                              vec_load_tail vec_store_tail
--   lanes                      C text, where a set has not what is made here for fewer than sixteen floats a vector:
--                              struct lanes, lanes_none lanes_add lanes_fmadd lanes_sum
--                              A set may have besides evens_first (of each four lanes the first and third, then the
--                              others), shr_halves (of lanes of 16 bits), kept_apart (the same vector, of which the
--                              compiler knows nothing)
--   extras = { name = text }   vec_<name> for features that ask for it: choose add_mask turn_pairs
--
-- A product's table: dot(sum, a, b), a format: adds the products of the elements of each lane of a and b to it; unit:
-- how many elements that are; splat(element), load(pointer): a and b; type: of these vectors, where it is not `ints`;
-- and helpers, cflags and cpu where it needs any; with: a product whose helpers it calls too. By names:
--   bytes                      of a unsigned and b signed, in lanes of 32 bits; pairs: words of an instruction that
--                              multiplies twice the depth of two rows by two columns, nil for none. rows(element,
--                              element): a, from both rows; low(b, next), high(b, next): the columns of the first half
--                              of a vector and of the second, from it and the next in depth; dot; exchange(sum, sum),
--                              its own inverse: sums of two rows, as those of two columns of both; start(offset,
--                              weights): a row's offset, whose upper half is 0, times the lower halves of lanes of sums
--                              of weights; nil where a multiplication of lanes does it
--   byte_matrices              as bytes, and whole matrices of them, by `matrix`: rows, vectors: of the greatest sum,
--                              or tile; block: rows of a matrix register; depths: what an instruction may multiply, the
--                              best first; size(rows, depth): of all registers before their use; release: after it;
--                              fence: between other code and theirs; and of registers 0 to 3, sums of the first rows
--                              and of the others by `vectors`, 4 and 5, rows, 6 and 7, columns: zero(register),
--                              load(register, pointer, stride), store(register, pointer, stride), dot(sum, rows,
--                              columns)
--   grouped_matrices           the same as grouped_bytes, of rows signed and columns not
--   signed_bytes               of a and b signed, in lanes of 32 bits; unsigned: splat and dot where a is not
--   bytes_by_lane              of a unsigned and of the signed ones in a lane of b, whose number dot has besides; where
--                              a is signed: lessen(a), each byte less `less`
--   grouped_bytes              as bytes, where rows of 8 bits multiply weights in groups by bytes and not by floats;
--                              less: what dot takes off each byte of a, or nil; shorts(sum, a, b): adds products of
--                              the lower halves of lanes, the upper ones of a being 0; halves: the product
--                              (bytes_in_16_bits) that halves of bytes are multiplied by instead, whose sums of a group
--                              fit 16 bits
--   bytes_in_16_bits           of a unsigned and b signed, in lanes of 16 bits; to_ints(sum, 1): lanes of 32 bits, each
--                              the sum of two; fold(sum): one lane, the sum of all
--   int16                      of integers of 16 bits; load_int8(pointer): b of bytes
--   ints                       of integers of 32 bits that have no more than 16
--   bf16                       in floats, one after the other; upper_first: whether that in the upper half of a lane is
--                              first; store(pointer, floats), in_order: as rows of elements that are multiplied, and
--                              one after the other
-- prefers: CPU features without which another variant is faster.
--
-- What only some CPUs of a set have is in a file that refines it: name, which begins with the set's; of, the set; and
-- products, over the set's own. Of several that refine a set the last by name is the best.
local compat = require "base.compat"
local fs = require "base.fs"
local lanes = require "isa.vocabulary.lanes"
local vocabulary = require "isa.vocabulary"

local isa = {}

local names, tables, refining -- an array, and by name; nil until somebody asks

-- The tables of the folder that this file lies in.
local function files()
  local folder, list = compat.module_file("isa"):match("^(.*)/"), {}
  for _, file in ipairs(assert(fs.list(folder))) do
    local name = file:match("^(.*)%.lua$")
    list[#list + 1] = name and name ~= "init" and require("isa." .. name) or nil
  end
  return list
end

-- A set with what one of its files refines it by: its name and products, with the set as `base`.
local function refined(base, own)
  local products = setmetatable(own.products, { __index = base.products })
  local set = { name = own.name, base = base.name, products = products, refines = own }
  set.needs = function(...) return vocabulary.needs(set, ...) end
  return setmetatable(set, { __index = base })
end

-- Reads every table of the folder.
local function load_all()
  names, tables, refining = {}, {}, {}
  for _, set in ipairs(files()) do
    if set.of then
      refining[#refining + 1] = set
    else
      set.V, set.refinements = vocabulary.of(set), {}
      set.helpers = set.helpers .. lanes.helpers(set, set.V)
      set.needs = function(...) return vocabulary.needs(set, ...) end
      names[#names + 1], tables[set.name] = set.name, set
    end
  end
  for i, own in ipairs(refining) do
    local list = tables[own.of].refinements
    refining[i] = refined(tables[own.of], own)
    list[#list + 1], refining[own.name] = refining[i], refining[i]
    table.sort(list, function(a, b) return a.name > b.name end)
  end
  table.sort(names, function(a, b) return tables[a].width > tables[b].width end)
end

-- The set that one of this name refines, or nil.
function isa.base_of(name)
  if not tables then load_all() end
  return refining[name] and refining[name].base
end

-- Of every architecture, best first, which is widest first; the last one runs on any CPU.
function isa.names()
  if not names then load_all() end
  return names
end

-- The table of that name with its vocabulary as V, or nil.
function isa.get(name)
  if not tables then load_all() end
  return tables[name]
end

-- Whether compilers for a machine, as `cc -dumpmachine` names it, can make this set's code.
function isa.is_of(set, machine)
  return set.arch == "any" or set.arch == machine:match("^[^-]*")
end

-- The names in a list, best first, each once; one that is not known is a bug of the caller.
function isa.ordered(list)
  local wanted, found = {}, {}
  for _, name in ipairs(list) do
    if not isa.get(name) then error(("no instruction set is called '%s'"):format(name), 2) end
    wanted[name] = true
  end
  for _, name in ipairs(isa.names()) do
    if wanted[name] then found[#found + 1] = name end
  end
  return found
end

return isa
