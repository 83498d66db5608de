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
--   lanes                      C text, where a set has not what is made here for fewer than sixteen floats a vector:
--                              struct lanes, lanes_none lanes_add lanes_fmadd lanes_sum
--   extras = { name = text }   vec_<name> for features that ask for it: choose add_mask turn_pairs
local compat = require "base.compat"
local fs = require "base.fs"

local isa = {}

-- Sums over a row have sixteen running sums on every set, one for each place in a row modulo sixteen, and fold them in
-- one order: eight to eight, four to four, two to two, one to one. So they have the same bits on each.
local LANES = 16

-- What templates may say of such sums: of the type V.lanes, none() of them; add(sum, v) and fmadd(a, b, sum) as
-- statements, which join a vector, or a product of two, the next after the one before; sum(sum), what all make.
local function lanes_vocabulary(set, V)
  if set.width == LANES then
    return { lanes = set.type, lanes_none = V.zero, lanes_sum = function(sum) return ("vec_sum(%s)"):format(sum) end,
      lanes_add = function(sum, v) return ("%s = %s"):format(sum, V.add(sum, v)) end,
      lanes_fmadd = function(a, b, sum) return ("%s = %s"):format(sum, V.fmadd(a, b, sum)) end }
  end
  return { lanes = "struct lanes", lanes_none = function() return "lanes_none()" end,
    lanes_sum = function(sum) return ("lanes_sum(&%s)"):format(sum) end,
    lanes_add = function(sum, v) return ("lanes_add(&%s, %s)"):format(sum, v) end,
    lanes_fmadd = function(a, b, sum) return ("lanes_fmadd(&%s, %s, %s)"):format(sum, a, b) end }
end

-- The C text of struct lanes, in as many vectors as sixteen floats are. They move on by one with each vector that
-- joins: where the sums begin does not matter to how they fold, as each meets the same others in any case.
local function lanes_helpers(set, V)
  if set.width == LANES or set.lanes then return set.lanes or "" end
  local n, type, lines = LANES / set.width, set.type, {}
  local function out(...) lines[#lines + 1] = string.format(...) end
  local function at(i) return ("sum->at[%d]"):format(i) end
  local function moving(name, parameters, joined)
    out("static inline void lanes_%s(struct lanes *sum, %s)", name, parameters)
    out("{\n    const %s joined = %s;", type, joined)
    for i = 0, n - 2 do out("    %s = %s;", at(i), at(i + 1)) end
    out("    %s = joined;\n}\n", at(n - 1))
  end
  out("\n// Sixteen running sums over a row, which fold in the order that every instruction set has; the next " ..
    "vector joins the\n// first of these.")
  out("struct lanes {\n    %s at[%d];\n};\n", type, n)
  out("static inline struct lanes lanes_none(void)\n{\n    return (struct lanes){{%s%s}};\n}\n",
    (V.zero() .. ", "):rep(n - 1), V.zero())
  moving("add", type .. " v", V.add(at(0), "v"))
  moving("fmadd", ("%s a, %s b"):format(type, type), V.fmadd("a", "b", at(0)))
  local folded = {}
  for i = 0, n - 1 do folded[i] = at(i) end
  while n > 1 do
    n = n / 2
    for i = 0, n - 1 do folded[i] = V.add(folded[i], folded[i + n]) end
  end
  out("static inline float lanes_sum(const struct lanes *sum)\n{\n    return vec_sum(%s);\n}", folded[0])
  return table.concat(lines, "\n") .. "\n"
end

-- The vocabulary: V.fmadd(a, b, c) gives the C expression.
local function vocabulary(set)
  local V = { type = set.type, width = set.width }
  setmetatable(V, { __index = function(_, operation)
    local format = set.spell[operation]
    if not format then error("no instruction set spells '" .. tostring(operation) .. "'", 2) end
    return function(...) return format:format(...) end
  end })
  for word, of in pairs(lanes_vocabulary(set, V)) do V[word] = of end
  return V
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
      set.helpers = set.helpers .. lanes_helpers(set, set.V)
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
