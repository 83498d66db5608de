-- arithmetic_test.lua: arithmetics of products as tables of data: what each holds, that no running sum can leave 32
-- bits, and what compilers and CPUs are asked for.
local fact = dofile("tests/generator/fact.lua")
local arithmetic = require "arithmetic"
local fs = require "base.fs"
local isa = require "isa"

local LARGEST_SUM = 2 ^ 31 - 1

-- Calls f(table, set's table, set) for each arithmetic of integers and each instruction set that it runs on.
local function each(f)
  for _, name in ipairs(arithmetic.names()) do
    local A = arithmetic.get(name)
    for _, set in ipairs(isa.names()) do
      if A.sets and A.sets[set] then f(A, A.sets[set], isa.get(set)) end
    end
  end
end

fact.holds("each table holds what the contract lists", function()
  local known = { row = "table", panel = "table", unit = "number", header = "number", vector = "string", sum = "string",
    zero = "string", splat = "string", load = "string", to_floats = "string", store = "string", dot = "function",
    cflags = "table", cpu = "table", helpers = "string", has_offset = "boolean" }
  each(function(A, set)
    for field, value in pairs(set) do fact.equal(type(value), known[field] or A.name .. " knows no " .. field) end
    for field in pairs(known) do
      assert(set[field] ~= nil or field == "helpers" or field == "has_offset", A.name .. " lacks " .. field)
    end
    fact.equal(arithmetic.padded(A.name, 1) % set.unit, 0)
    fact.equal(A.sum % arithmetic.step(A.name), 0)
  end)
end)

fact.holds("a header has a scale for each column, and the sum of its weights where rows have an offset", function()
  each(function(_, set)
    fact.equal(set.header * set.panel.bytes, set.has_offset and 8 or 4)
  end)
end)

-- Weights of int8 are at most 127, those of i16 are chosen so that their magnitudes add up to 131008 before they are
-- rounded, each by half of one.
fact.holds("the largest running sum fits 32 bits", function()
  local i16, int8 = arithmetic.get("i16"), arithmetic.get("int8")
  fact.contains(i16.weight_scale, "total / 131008.0")
  fact.contains(int8.weight_scale, "largest / 127.0")
  assert(i16.largest_row * (131008 + i16.sum / 2) <= LARGEST_SUM)
  assert((int8.largest_row + 1) * 127 * int8.sum <= LARGEST_SUM, "with rows kept as their distance from the least")
end)

fact.holds("each asks the CPU for what its compiler flags allow, and the runtime knows that", function()
  local header = assert(fs.read("runtime/include/genattn/cpu.h"))
  each(function(A, set)
    local flags = {}
    for _, feature in ipairs(set.cpu) do
      fact.contains(header, ("X(%s, "):format(feature))
      flags[#flags + 1] = "-m" .. feature:lower():gsub("_", "")
    end
    fact.equal(table.concat(set.cflags, " "), table.concat(flags, " "), A.name)
  end)
end)

fact.holds("every one runs on a set that any CPU has", function()
  for _, name in ipairs(arithmetic.names()) do assert(arithmetic.runs_on(name, isa.get("scalar")), name) end
end)

fact.holds("one that is not known is a bug of the caller", function()
  local ok, why = pcall(arithmetic.get, "i17")
  assert(not ok and why:find("no arithmetic is called 'i17'", 1, true), why)
end)

fact.finish()
