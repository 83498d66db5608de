-- isa/init.lua: instruction sets as tables of data, and the vocabulary templates spell vector code with.
-- Never says attention: a table gives widths, registers, costs, compiler flags and the spelling of each operation.
--
-- Adding an instruction set is adding one file of its name with these fields; the folder is the list:
--   name, width (floats a vector; no two sets have the same), registers, type (C), headers, cflags
--   arch                       the architecture that it is of, as `cc -dumpmachine` begins; "any": every one
--   cpu                        the features that a CPU of this architecture may lack, as tails of GA_CPU_*
--   max_accumulators           more than this many running sums make compilers spill
--   fma_per_cycle, loads_per_cycle, fma_latency     what the planner weighs tiles by
--   lowest_exponent, scale_shift   vec_exp2_scale(p, n) is p 2^(n + scale_shift) for whole n from lowest_exponent on,
--                              where it is 0; the shift keeps its factor a normal number where the power is a subnormal
--   spell = { operation = format }   zero splat load store add sub mul div sqrt max fmadd fmsub round;
--                              fmsub, a b - c, is rounded once in every set, so that it gives what c lost of a product;
--                              above(v, count): -inf in the first count lanes, else v
--   helpers                    C text: vec_sum vec_max vec_exp2_scale vec_below vec_transpose, and for width > 1
--                              vec_load_tail vec_store_tail
--   extras = { name = text }   vec_<name> for features that ask for it: choose add_mask turn_pairs
local compat = require "base.compat"
local fs = require "base.fs"

local isa = {}

-- The vocabulary: V.fmadd(a, b, c) gives the C expression.
local function vocabulary(set)
  local V = { type = set.type, width = set.width }
  return setmetatable(V, { __index = function(_, operation)
    local format = set.spell[operation]
    if not format then error("no instruction set spells '" .. tostring(operation) .. "'", 2) end
    return function(...) return format:format(...) end
  end })
end

local names, tables -- an array, and by name; nil until somebody asks

-- Reads every table of the folder that this file lies in.
local function load_all()
  names, tables = {}, {}
  local folder = compat.module_file("isa"):match("^(.*)/")
  for _, file in ipairs(assert(fs.list(folder))) do
    local name = file:match("^(.*)%.lua$")
    if name and name ~= "init" then
      local set = require("isa." .. name)
      set.V = vocabulary(set)
      names[#names + 1], tables[name] = name, set
    end
  end
  table.sort(names, function(a, b) return tables[a].width > tables[b].width end)
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
