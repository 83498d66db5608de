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
    for _, name_of_set in ipairs(isa.names()) do
      local is_made = A.sets and arithmetic.runs_on(name, isa.get(name_of_set))
      for _, set in ipairs(is_made and arithmetic.variants({ name }, isa.get(name_of_set)) or {}) do
        f(A, A.sets[set.name], set)
      end
    end
  end
end

-- The same for those of integers alone.
local function each_of_integers(f)
  each(function(A, set, of)
    if not A.vocabulary then f(A, set, of) end
  end)
end

fact.holds("each table of integers holds what the contract lists", function()
  local known = { row = "table", panel = "table", unit = "number", header = "number", vector = "string", sum = "string",
    zero = "string", splat = "string", load = "string", to_floats = "string", store = "string", dot = "function",
    cflags = "table", cpu = "table", helpers = "string", has_offset = "boolean", of = "string",
    in_order = "string", none = "string" }
  local optional = { helpers = true, has_offset = true, of = true, in_order = true, none = true }
  each_of_integers(function(A, set)
    for field, value in pairs(set) do
      local is_list = field == "helpers" and type(value) == "table"
      fact.equal(is_list and "string" or type(value), known[field] or A.name .. " knows no " .. field)
    end
    for field in pairs(known) do
      assert(set[field] ~= nil or optional[field], A.name .. " lacks " .. field)
    end
    assert(set.in_order or not A.largest_key, A.name .. " lacks in_order")
    assert(set.none or not (A.attends and set.has_offset), A.name .. " lacks none")
    fact.equal(arithmetic.padded(A.name, 1) % set.unit, 0)
    fact.equal(A.sum % arithmetic.step(A.name), 0)
  end)
end)

fact.holds("a header has a scale for each column, and the sum of its weights where rows have an offset", function()
  each_of_integers(function(_, set)
    fact.equal(set.header * set.panel.bytes, set.has_offset and 8 or 4)
  end)
end)

fact.holds("each other narrow one spells what templates say of it", function()
  each(function(A, set, of)
    local X = A.vocabulary and A.vocabulary(of)
    if not X then return end
    for _, word in ipairs({ "row", "panel", "vector", "sum", "header" }) do assert(X[word] ~= nil, word) end
    for place = 0, X.one_by_one and X.unit - 1 or 0 do fact.contains(X.load("there", place), "there") end
    fact.contains(X.store("there", "floats"), "floats")
    fact.contains(X.in_order("there", "floats"), "floats")
    fact.contains(X.from_float("value"), "value")
    fact.contains(X.dot(X.splat("a"), "b", "s"), "s")
    fact.contains(X.total("s", 0, nil, "before"), "before")
    fact.equal(arithmetic.padded(A.name, 1) % set.unit, 0)
    fact.equal(A.sum % arithmetic.step(A.name), 0)
  end)
end)

-- Weights of int8 are at most 127, those of i16 are chosen so that their magnitudes add up to 262048 before they are
-- rounded, each by half of one.
fact.holds("the largest running sum fits 32 bits", function()
  local i16, int8 = arithmetic.get("i16"), arithmetic.get("int8")
  fact.contains(i16.weight_scale, "total / 262048.0")
  fact.contains(int8.weight_scale, "largest / 127.0")
  fact.equal(i16.total_weight, 262048)
  assert(i16.largest_row * (262048 + i16.sum / 2) <= LARGEST_SUM)
  assert((int8.largest_row + 1) * 127 * int8.sum <= LARGEST_SUM, "with rows kept as their distance from the least")
  assert((int8.largest_row + 1) * int8.largest_key * int8.sum <= LARGEST_SUM, "queries by keys")
  assert(int8.largest_weight * int8.largest_key * int8.sum <= LARGEST_SUM, "softmax weights by values")
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

local function names_of_variants(names, isa_name)
  local list = {}
  for i, set in ipairs(arithmetic.variants(names, isa.get(isa_name))) do list[i] = set.name end
  return list
end

fact.holds("a set that refines another begins with its name, comes before it, and has its own table", function()
  fact.lists_equal(names_of_variants({ "i16", "bf16" }, "avx512"), { "avx512bf16", "avx512" })
  each(function(A, table_of_set, set)
    fact.equal(table_of_set, A.sets[set.name])
    fact.equal(set.name:sub(1, #(set.base or set.name)), set.base or set.name)
    fact.equal(set.base, table_of_set.of)
  end)
  fact.equal(#arithmetic.variants({}, isa.get("avx512")), 1)
  fact.equal(#arithmetic.variants({ "bf16" }, isa.get("avx2")), 1)
end)

fact.holds("a set that several refine is there once, and others find in it what the one it refines has", function()
  local all = { "f32", "bf16", "i16", "int8" }
  fact.lists_equal(names_of_variants(all, "avx2"), { "avx2vnni", "avx2" })
  local vnni, avx2 = arithmetic.variants(all, isa.get("avx2"))[1], isa.get("avx2")
  fact.equal(arithmetic.needs("bf16", vnni), arithmetic.needs("bf16", avx2))
  fact.equal(arithmetic.vocabulary("f32", vnni, "f32").dot("a", "b", "c"), avx2.V.fmadd("a", "b", "c"))
  local spec = { weights_dtype = "f32", arithmetics = all }
  fact.lists_equal(arithmetic.all_need(spec, vnni, "cpu"), { "AVX_VNNI" })
  fact.lists_equal(arithmetic.all_need(spec, vnni, "cflags"), { "-mavxvnni" })
  fact.equal(arithmetic.prefers(all, vnni), nil)
end)

fact.holds("every one runs on a set that any CPU has", function()
  for _, name in ipairs(arithmetic.names()) do assert(arithmetic.runs_on(name, isa.get("scalar")), name) end
end)

fact.holds("one that is not known is a bug of the caller", function()
  local ok, why = pcall(arithmetic.get, "i17")
  assert(not ok and why:find("no arithmetic is called 'i17'", 1, true), why)
end)

fact.finish()
