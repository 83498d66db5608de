-- arithmetic_test.lua: arithmetics of products as tables of data: what each holds, that no running sum can leave 32
-- bits, and what compilers and CPUs are asked for.
local fact = dofile("tests/generator/fact.lua")
local arithmetic = require "arithmetic"
local fs = require "base.fs"
local isa = require "isa"

local LARGEST_SUM = 2 ^ 31 - 1

-- Calls f(table, set) for each arithmetic that is narrow, and each instruction set that it runs on.
local function each(f)
  for _, name in ipairs(arithmetic.all()) do
    local A = arithmetic.get(name)
    for _, name_of_set in ipairs(isa.names()) do
      local is_made = A.ways and arithmetic.runs_on(name, isa.get(name_of_set))
      for _, set in ipairs(is_made and arithmetic.variants({ name }, isa.get(name_of_set)) or {}) do f(A, set) end
    end
  end
end

fact.holds("each way of integers holds what the contract lists", function()
  local known = { product = "string", row = "table", panel = "table", header = "number", load = "string",
    store = "string", in_order = "string", has_offset = "boolean" }
  for _, name in ipairs({ "i16", "int8" }) do
    local A = arithmetic.get(name)
    for _, way in ipairs(A.ways) do
      for field, value in pairs(way) do fact.equal(type(value), known[field] or name .. " knows no " .. field) end
      for _, field in ipairs({ "product", "row", "panel", "store" }) do assert(way[field], field) end
      assert(way.in_order or not A.largest_key, name .. " lacks in_order")
      -- A header has a scale for each column, and the sum of its weights where rows have an offset.
      fact.equal(way.header * way.panel.bytes, way.has_offset and 8 or 4)
    end
  end
end)

fact.holds("each narrow one spells what templates say of it", function()
  each(function(A, set)
    local X = arithmetic.vocabulary(A.name, set, A.step and "int8" or "f32")
    for _, word in ipairs({ "row", "panel", "vector", "sum", "header" }) do assert(X[word] ~= nil, word) end
    fact.contains(X.store("there", "floats"), "floats")
    fact.equal(arithmetic.padded(A.name, 1) % X.unit, 0)
    fact.equal(A.sum % arithmetic.step(A.name), 0)
    if X.in_groups then return end
    for place = 0, X.one_by_one and X.unit - 1 or 0 do fact.contains(X.load("there", place), "there") end
    fact.contains(X.in_order("there", "floats"), "floats")
    fact.contains(X.dot(X.splat("a"), "b", "s"), "s")
    fact.contains(X.total("s", 0, "scales", "before"), "before")
    if not X.is_integer then fact.contains(X.from_float("value"), "value") end
  end)
end)

-- The functions that a C text calls.
local function calls_of(text)
  local names = {}
  for name in text:gmatch("([%a_][%w_]*)%(") do names[#names + 1] = name end
  return names
end

fact.holds("what an expression calls is in what the arithmetic needs", function()
  local elsewhere = { lane_at = true, vec_load_tail = true, vec_max2 = true, vec_fmadd = true, vec_round = true }
  each(function(A, set)
    local X = arithmetic.vocabulary(A.name, set, A.step and "int8" or "f32")
    local texts, made = { X.store("p", "v") }, table.concat(arithmetic.needs(A.name, set).helpers)
    if not X.in_groups then
      for place = 0, X.one_by_one and X.unit - 1 or 0 do texts[#texts + 1] = X.load("p", place) end
      texts[#texts + 1] = X.in_order("p", "v") .. X.dot(X.splat("a"), "b", "s")
    end
    for _, name in ipairs(calls_of(table.concat(texts, " "))) do
      if not name:find("^_mm") and not name:find("^v[%w]+_[%w_]*%d$") and not elsewhere[name] then
        fact.contains(made, " " .. name .. "(")
      end
    end
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
    local needs, flags = arithmetic.needs(A.name, set), {}
    for _, feature in ipairs(needs.cpu) do
      fact.contains(header, ("X(%s, "):format(feature))
      flags[#flags + 1] = "-m" .. feature:lower():gsub("_", "")
    end
    fact.equal(table.concat(needs.cflags, " "), table.concat(flags, " "), A.name)
  end)
end)

local function names_of_variants(names, isa_name)
  local list = {}
  for i, set in ipairs(arithmetic.variants(names, isa.get(isa_name))) do list[i] = set.name end
  return list
end

fact.holds("a set that refines a product of an arithmetic comes before the set, and no other does", function()
  fact.lists_equal(names_of_variants({ "i16", "bf16" }, "avx512"), { "avx512bf16", "avx512" })
  fact.lists_equal(names_of_variants({ "i16" }, "avx512"), { "avx512" })
  fact.equal(#arithmetic.variants({}, isa.get("avx512")), 1)
  fact.equal(#arithmetic.variants({ "bf16", "int8_groups" }, isa.get("avx2")), 1)
end)

fact.holds("a set that several refine is there once, and others find in it what the one it refines has", function()
  local all = { "f32", "bf16", "i16", "int8" }
  fact.lists_equal(names_of_variants(all, "avx2"), { "avx2vnni", "avx2" })
  local vnni, avx2 = arithmetic.variants(all, isa.get("avx2"))[1], isa.get("avx2")
  for field, list in pairs(arithmetic.needs("bf16", avx2)) do
    fact.lists_equal(arithmetic.needs("bf16", vnni)[field], list)
  end
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
