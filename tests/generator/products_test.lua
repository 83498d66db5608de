-- products_test.lua: what linears multiply by, by number format: what each table holds, that no running sum can leave
-- 32 bits, and what compilers and CPUs are asked for.
local fact = dofile("tests/generator/fact.lua")
local formats = require "formats"
local fs = require "base.fs"
local isa = require "isa"
local multiply = require "formats.vocabulary.multiplied"

local LARGEST_SUM = 2 ^ 31 - 1

-- Calls f(name, product, set) for each format that is not f32, and each instruction set: all multiply by it.
local function each(f)
  for _, name in ipairs(formats.products(true)) do
    local P = formats.get(name).product
    for _, name_of_set in ipairs(isa.names()) do
      for _, set in ipairs(P.ways and multiply.variants({ name }, isa.get(name_of_set)) or {}) do f(name, P, set) end
    end
  end
end

fact.holds("each way of integers holds what the contract lists", function()
  local known = { product = "string", row = "table", panel = "table", header = "number", load = "string",
    store = "string", in_order = "string", has_offset = "boolean", middle = "number" }
  for _, name in ipairs({ "i16", "int8" }) do
    local P = formats.get(name).product
    for _, way in ipairs(P.ways) do
      for field, value in pairs(way) do fact.equal(type(value), known[field] or name .. " knows no " .. field) end
      for _, field in ipairs({ "product", "row", "panel", "store" }) do assert(way[field], field) end
      assert(way.in_order or not P.largest_key, name .. " lacks in_order")
      -- A header has a scale for each column, and the sum of its weights where rows have an offset.
      fact.equal(way.header * way.panel.bytes, way.has_offset and 8 or 4)
    end
  end
end)

fact.holds("each format spells what templates say of it", function()
  each(function(name, P, set)
    local X = multiply.vocabulary(name, set, P.group and "int8_g32" or "f32")
    for _, word in ipairs({ "row", "panel", "vector", "sum", "header" }) do assert(X[word] ~= nil, word) end
    fact.contains(X.store("there", "floats"), "floats")
    fact.equal(multiply.padded(name, 1) % X.unit, 0)
    fact.equal(P.sum % multiply.step(name), 0)
    if X.in_groups then return end
    for place = 0, X.one_by_one and X.unit - 1 or 0 do fact.contains(X.load("there", place), "there") end
    fact.contains(X.in_order("there", "floats"), "floats")
    fact.contains(X.dot(X.splat("a"), "b", "s"), "s")
    fact.contains(X.total("s", 0, "scales", "before"), "before")
  end)
end)

-- The functions that a C text calls.
local function calls_of(text)
  local names = {}
  for name in text:gmatch("([%a_][%w_]*)%(") do names[#names + 1] = name end
  return names
end

fact.holds("what an expression calls is in what the format needs", function()
  local elsewhere = { lane_at = true, vec_load_tail = true, vec_max2 = true, vec_fmadd = true, vec_round = true }
  each(function(name, P, set)
    local X = multiply.vocabulary(name, set, P.group and "int8_g32" or "f32")
    local texts, made = { X.store("p", "v") }, table.concat(multiply.needs(name, set).helpers)
    if not X.in_groups then
      for place = 0, X.one_by_one and X.unit - 1 or 0 do texts[#texts + 1] = X.load("p", place) end
      texts[#texts + 1] = X.in_order("p", "v") .. X.dot(X.splat("a"), "b", "s")
    end
    for _, call in ipairs(calls_of(table.concat(texts, " "))) do
      if not call:find("^_mm") and not call:find("^v[%w]+_[%w_]*%d$") and not elsewhere[call] then
        fact.contains(made, " " .. call .. "(")
      end
    end
  end)
end)

-- Weights of int8 are at most 127, those of i16 are chosen so that their magnitudes add up to 262048 before they are
-- rounded, each by half of one.
fact.holds("the largest running sum fits 32 bits", function()
  local i16, int8 = formats.get("i16").product, formats.get("int8").product
  local packs = assert(fs.read("runtime/packing/panel_formats.c"))
  fact.contains(packs, "by_total = total / 262048.0;")
  fact.contains(packs, "scale = largest / 127.0;")
  fact.equal(i16.total_weight, 262048)
  assert(i16.largest_row * (262048 + i16.sum / 2) <= LARGEST_SUM)
  assert((int8.largest_row + 1) * 127 * int8.sum <= LARGEST_SUM, "with rows kept as their distance from the least")
  assert((int8.largest_row + 1) * int8.largest_key * int8.sum <= LARGEST_SUM, "queries by keys")
  assert(int8.largest_weight * int8.largest_key * int8.sum <= LARGEST_SUM, "softmax weights by values")
end)

-- What compilers do not call as the CPU's feature is called.
local FLAGS = { AMX_TILE = "-mamx-tile", AMX_INT8 = "-mamx-int8", ASIMDDP = "-march=armv8.2-a+dotprod",
  I8MM = "-march=armv8.2-a+i8mm+bf16",
  BF16 = "-march=armv8.2-a+i8mm+bf16" }

fact.holds("each asks the CPU for what its compiler flags allow, and the runtime knows that", function()
  local header = assert(fs.read("runtime/include/genattn/cpu.h"))
  each(function(name, _, set)
    local needs, flags = multiply.needs(name, set), {}
    for _, feature in ipairs(needs.cpu) do
      fact.contains(header, ("X(%s, "):format(feature))
      flags[#flags + 1] = FLAGS[feature] or "-m" .. feature:lower():gsub("_", "")
    end
    fact.equal(table.concat(needs.cflags, " "), table.concat(flags, " "), name)
  end)
end)

local function names_of_variants(names, isa_name, weights)
  local list = {}
  for i, set in ipairs(multiply.variants(names, isa.get(isa_name), weights)) do list[i] = set.name end
  return list
end

fact.holds("a set that refines a product of an arithmetic comes before the set, and no other does", function()
  fact.lists_equal(names_of_variants({ "i16", "bf16" }, "avx512"), { "avx512bf16", "avx512" })
  fact.lists_equal(names_of_variants({ "i16" }, "avx512"), { "avx512" })
  fact.lists_equal(names_of_variants({ "int8" }, "avx512"), { "avx512amx", "avx512" })
  fact.lists_equal(names_of_variants({ "int8" }, "neon"), { "neonv86", "neonv84", "neon" })
  fact.lists_equal(names_of_variants({ "bf16" }, "neon"), { "neonv86", "neon" })
  fact.lists_equal(names_of_variants({}, "neon", "int4"), { "neonv86", "neonv84", "neon" })
  fact.lists_equal(names_of_variants({}, "avx2", "int8"), { "avx2vnni", "avx2" })
  fact.lists_equal(names_of_variants({}, "avx512", "int8"), { "avx512" })
  fact.lists_equal(names_of_variants({}, "neon", "f16"), { "neon" })
  fact.equal(#multiply.variants({}, isa.get("avx512")), 1)
  fact.lists_equal(names_of_variants({ "int8_g32" }, "avx2"), { "avx2vnni", "avx2" })
  fact.equal(#multiply.variants({ "bf16" }, isa.get("avx2")), 1)
end)

fact.holds("a set that several refine is there once, and others find in it what the one it refines has", function()
  local all = { "f32", "bf16", "i16", "int8" }
  fact.lists_equal(names_of_variants(all, "avx2"), { "avx2vnni", "avx2" })
  local vnni, avx2 = multiply.variants(all, isa.get("avx2"))[1], isa.get("avx2")
  for field, list in pairs(multiply.needs("bf16", avx2)) do
    fact.lists_equal(multiply.needs("bf16", vnni)[field], list)
  end
  fact.equal(multiply.vocabulary("f32", vnni, "f32").dot("a", "b", "c"), avx2.V.fmadd("a", "b", "c"))
  local spec = { weights_dtype = "f32", arithmetics = all }
  fact.lists_equal(multiply.all_need(spec, vnni, "cpu"), { "AVX_VNNI" })
  fact.lists_equal(multiply.all_need(spec, vnni, "cflags"), { "-mavxvnni" })
  fact.equal(multiply.prefers(all, vnni), nil)
end)

fact.finish()
