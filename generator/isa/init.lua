-- isa/init.lua: instruction sets as tables of data, and the vocabulary templates spell vector code with.
-- Never says attention: a table gives widths, registers, costs, compiler flags and the spelling of each operation.
--
-- Adding an instruction set is adding one file with these fields, and its name to NAMES:
--   name, width (floats a vector), registers, type (C), headers, cflags, cpu (GA_CPU_* tails it needs)
--   max_accumulators           more than this many running sums make compilers spill
--   fma_per_cycle, loads_per_cycle, fma_latency     what the planner weighs tiles by
--   lowest_exponent, scale_shift   vec_exp2_scale(p, n) is p 2^(n + scale_shift) for whole n from lowest_exponent on,
--                              where it is 0; the shift keeps its factor a normal number where the power is a subnormal
--   spell = { operation = format }   zero splat load store add sub mul div sqrt max fmadd fmsub round;
--                              fmsub, a b - c, is rounded once in every set, so that it gives what c lost of a product;
--                              above(v, count): -inf in the first count lanes, else v
--   helpers                    C text: vec_sum vec_max vec_exp2_scale vec_below vec_transpose, and for width > 1
--                              vec_load_part vec_store_part
--   extras = { name = text }   vec_<name> for features that ask for it: choose add_mask turn_pairs
local isa = {}

local NAMES = { "avx512", "avx2", "scalar" } -- best first; the last one runs on any CPU

function isa.names()
  return NAMES
end

-- The names in a list, best first, each once; one that is not known is a bug of the caller.
function isa.ordered(names)
  local wanted, list = {}, {}
  for _, name in ipairs(names) do
    if not isa.get(name) then error(("no instruction set is called '%s'"):format(name), 2) end
    wanted[name] = true
  end
  for _, name in ipairs(NAMES) do
    if wanted[name] then list[#list + 1] = name end
  end
  return list
end

-- The vocabulary: V.fmadd(a, b, c) gives the C expression.
local function vocabulary(set)
  local V = { type = set.type, width = set.width }
  return setmetatable(V, { __index = function(_, operation)
    local format = set.spell[operation]
    if not format then error("no instruction set spells '" .. tostring(operation) .. "'", 2) end
    return function(...) return format:format(...) end
  end })
end

local loaded = {}

-- The table of that name with its vocabulary as V, or nil.
function isa.get(name)
  for _, known in ipairs(NAMES) do
    if known == name and not loaded[name] then
      loaded[name] = require("isa." .. name)
      loaded[name].V = vocabulary(loaded[name])
    end
  end
  return loaded[name]
end

return isa
