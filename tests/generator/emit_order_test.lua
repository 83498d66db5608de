-- emit_order_test.lua: no order in which a table's keys are visited shows in what the generator says and writes.
local fact = dofile("tests/generator/fact.lua")
local shapes = dofile("tests/generator/shapes.lua")
local emit = require "emit"
local isa = require "isa"
local spec = require "spec"

-- Runs f while `pairs` visits keys in an order that seed picks.
local function with_shuffled_pairs(seed, f)
  local plain = pairs
  local state = seed
  local function random(n)
    state = (state * 16807) % 2147483647
    return state % n + 1
  end
  rawset(_G, "pairs", function(t)
    local keys = {}
    for key in plain(t) do table.insert(keys, random(#keys + 1), key) end
    local i = 0
    return function()
      i = i + 1
      if keys[i] ~= nil then return keys[i], t[keys[i]] end
    end
  end)
  local ok, result = pcall(f)
  rawset(_G, "pairs", plain)
  if not ok then error(result, 0) end
  return result
end

-- What one run of the generator says, from the reading of specs to the last file.
local function everything()
  local s = assert(spec.from_fields({ d_model = 33, n_heads = 3, n_kv_heads = 1, seq_len = "1..20", vocab_size = 5,
    bias = { q = false, o = true }, mask = { causal = true, lengths = true }, outputs = { "attention" } }))
  local parts = { spec.text(s), shapes.joined(emit.files(s, isa.names())) }
  local _, errors = spec.from_fields({ zz = 1, yy = 2, mask = { aa = 1, bb = 2 }, bias = { x = 1, w = 2, u = 3 },
    weights = { one = 1, two = 2, three = 3 } })
  parts[#parts + 1] = table.concat(errors, "\n")
  local custom = assert(spec.from_fields({ d_model = 8, n_heads = 2, seq_len = 4, weights = { qkv_weight = "w",
    qkv_bias = "b", o_weight = "x", o_bias = "y", transposed = true } }))
  parts[#parts + 1] = shapes.joined(emit.files(custom, { "scalar" }))
  local bytes = assert(spec.from_fields({ d_model = 8, n_heads = 2, seq_len = 4, dtype = "int8" }))
  parts[#parts + 1] = shapes.joined(emit.files(bytes, { "avx512", "scalar" }))
  return table.concat(parts, "\n")
end

fact.holds("the order in which pairs visits keys changes nothing", function()
  local plain = everything()
  local visited = {}
  for seed = 1, 3 do
    fact.equal(with_shuffled_pairs(seed, everything) == plain, true)
    visited[seed] = with_shuffled_pairs(seed, function()
      local keys = {}
      for key in pairs({ a = 1, b = 2, c = 3, d = 4, e = 5, f = 6 }) do keys[#keys + 1] = key end
      return table.concat(keys)
    end)
  end
  assert(visited[1] ~= visited[2] or visited[2] ~= visited[3], "pairs was not shuffled")
end)

fact.holds("a second run gives the same bytes", function()
  fact.equal(everything() == everything(), true)
end)

fact.finish()
