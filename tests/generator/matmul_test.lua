-- matmul_test.lua: which linears of a layer or of a whole model are fast products, which specs refuse them and why, and
-- how their weights are packed.
local fact = dofile("tests/generator/fact.lua")
local bilinear = require "base.bilinear"
local isa = require "isa"
local packing = require "plan.packing"
local plan = require "plan"
local plan_stack = require "plan.stack"
local spec = require "spec"

local function fields_of(more)
  local fields = { d_model = 64, n_heads = 2, matmul = "fast" }
  for field, value in pairs(more or {}) do fields[field] = value or nil end
  return fields
end

local function fast_of(more)
  local s, errors = spec.from_fields(fields_of(more))
  if not s then error(table.concat(errors, "; ")) end
  local names = {}
  for _, name in ipairs({ "q", "k", "v", "o" }) do names[#names + 1] = s.levels_of[name] and name or nil end
  return table.concat(names, " "), s
end

fact.holds("all linears of a layer whose sizes can be halved are fast, and each other one is exact", function()
  fact.equal(fast_of(), "q k v o")
  fact.equal(fast_of({ k_dim = 40 }), "q v o")
  fact.equal(fast_of({ d_out = 80 }), "q k v")
  fact.equal(fast_of({ d_head = 16 }), "o")
  fact.equal(fast_of({ projections = "qkv" }), "q k v")
end)

-- Fields of an encoder of one layer.
local function encoder(more)
  local fields = { kind = "encoder", n_layers = 1, d_ff = 96 }
  for field, value in pairs(more or {}) do fields[field] = value end
  return fields
end

-- What an encoder of these fields says of its fast linears.
local function encoder_says(more)
  local s, errors = spec.from_fields(fields_of(encoder(more)))
  if not s then error(table.concat(errors, "; ")) end
  return table.concat(spec.sentences(s), "\n"):match("([^\n]-) multipl%l+ pairs of rows"), s
end

fact.holds("linears of a whole model are fast one by one, as their sizes are", function()
  fact.equal(encoder_says(), "q, k, v, o, up and down")
  fact.equal(encoder_says({ n_heads = 4 }), "o, up and down")
  fact.equal(encoder_says({ d_ff = 80 }), "q, k, v and o")
  fact.equal(encoder_says({ ["ffn.gated"] = true, d_ff = 80 }), "q, k, v, o and gate+up")
  fact.equal(encoder_says({ ["ffn.gated"] = true, ["ffn.fused"] = true }), "q, k, v, o, gate_up and down")
  fact.equal(encoder_says({ layer = { attention = false }, n_heads = false }), "up and down")
end)

-- Which parts of the columns of a product gate and up are.
local function halves_of(matmul)
  local s = spec.from_fields(fields_of(encoder({ ["ffn.gated"] = true, matmul = matmul })))
  local p = plan_stack.make(s, isa.get("scalar"))
  local halves = {}
  for _, list in ipairs(packing.lists(p)) do
    for _, linear in ipairs(list.linears) do
      local parts = linear.parts
      if parts.own < parts.count then halves[#halves + 1] = ("%d+%d"):format(parts.first, parts.own) end
      assert(parts.first == 0 or linear.first == 0 and linear.bias_from == 96 and linear.rows * parts.own == 96)
    end
  end
  return table.concat(halves, " ")
end

fact.holds("gate and up are packed as the halves of one product, of two or of four parts", function()
  fact.equal(halves_of("fast"), "0+1 1+1")
  fact.equal(halves_of("fast:2"), "0+2 2+2")
end)

fact.holds("fast:1 is fast, and more than two levels are refused by name", function()
  local _, one = fast_of({ matmul = "fast:1" })
  fact.equal(one.matmul, "fast")
  local _, errors = spec.from_fields(fields_of({ matmul = "fast:3" }))
  fact.equal(errors[1], 'matmul must be exact, fast, fast:1 or fast:2, found "fast:3": a product is split once in ' ..
    "halves, or twice")
  local _, others = spec.from_fields(fields_of({ matmul = "slow" }))
  assert(others[1]:find("must be one of exact, fast, fast:2", 1, true), others[1])
end)

local REFUSED = {
  { { kind = "sdpa" }, "kind" }, { { kind = "decoder", n_layers = 1 }, "kind" },
  { { kind = "transformer", n_layers = 1, vocab_size = 9 }, "kind" },
  { encoder({ ["mask.causal"] = true }), "mask.causal" }, { encoder({ weights_dtype = "int8" }), "weights_dtype" },
  { encoder({ dtype = { up = "int8" } }), "dtype" },
  { encoder({ d_model = 48, n_heads = 2, d_ff = 80 }), "no linear can be halved" },
  { { dtype = "bf16" }, "dtype" }, { { weights_dtype = "bf16" }, "weights_dtype" },
  { { heads = "shared" }, "heads" }, { { cache = 80, ["mask.causal"] = "bottom_right" }, "cache" },
  { { ["mask.causal"] = "top_left" }, "mask.causal" },
  { { ["mask.window"] = 3, ["mask.window_sides"] = "both" }, "mask.window" },
  { { ["mask.tensor"] = "bool" }, "mask.tensor" }, { { mask_fill = -9 }, "mask_fill" },
  { { d_model = 24, n_heads = 3 }, "no linear can be halved" },
}

fact.holds("what does not go with pairs of rows is refused by name", function()
  for _, case in ipairs(REFUSED) do
    local s, errors = spec.from_fields(fields_of(case[1]))
    assert(not s, case[2] .. " is taken")
    local all = table.concat(errors, "; ")
    assert(all:find('matmul = "fast" is given, but ' .. case[2], 1, true), all)
  end
end)

fact.holds("info says the linears and the bound: 12 (K / 2) (128 + K / 128 + 6) 2^-24", function()
  local _, s = fast_of({ d_model = 768, n_heads = 12 })
  local all = table.concat(spec.sentences(s), "\n")
  assert(all:find("q, k, v and o multiply pairs of rows", 1, true), all)
  assert(all:find(("q %.4f"):format(12 * 384 * (128 + 6 + 6) * 2 ^ -24), 1, true), all)
end)

fact.holds("of two levels it is 144 (K / 4) (128 + K / 256 + 11) 2^-24, and some linears are split once", function()
  local _, s = fast_of({ d_model = 384, n_heads = 12, matmul = "fast:2" })
  local all = table.concat(spec.sentences(s), "\n")
  assert(all:find("o multiply four rows together", 1, true), all)
  assert(all:find(("o %.4f; q, k and v multiply pairs"):format(144 * 96 * (128 + 2 + 11) * 2 ^ -24), 1, true), all)
  local _, errors = spec.from_fields(fields_of({ d_model = 96, n_heads = 3, matmul = "fast:2" }))
  fact.equal(errors[1], 'matmul = "fast:2" is given, but no linear can be split in quarters: d_model (96) and ' ..
    "d_head (32) or d_out (96) must be multiples of 64")
end)

-- The packed linears of a layer of 64 by one head or two, all split so often.
local function packed_of(matmul, heads, set)
  local _, s = fast_of({ n_heads = heads, matmul = matmul })
  local p = plan.make(s, isa.get(set))
  return p, packing.lists(p)[1].linears
end

fact.holds("weights are packed as sums of blocks of a part of the inputs and a part of the columns", function()
  for _, name in ipairs({ "avx512", "avx2", "scalar" }) do
    for levels, case in ipairs({ { "fast", 2, 7, 4, 2 }, { "fast:2", 1, 49, 16, 4 } }) do
      local matmul, heads, products, singles, sides = case[1], case[2], case[3], case[4], case[5]
      local p, list = packed_of(matmul, heads, name)
      assert(#list == 4)
      for _, linear in ipairs(list) do
        assert(linear.inputs.heads == products and linear.inputs.width == 64 / sides and linear.levels == levels)
        assert(linear.format.numbers == "F32_SUM" and linear.parts.own == sides and linear.parts.first == 0)
      end
      assert(list[4].rows == 64 / sides and list[1].rows == 64 / heads / sides)
      assert(p.out.bytes == products * 64 / sides * 64 / sides * 4)
      assert(p.out.made == singles * 64 / sides * 4 + 64) -- and a line
    end
  end
end)

-- A sum of weights as text: each block after its sign.
local function sum_text(sum)
  local words = {}
  for i, term in ipairs(sum) do words[i] = (term[2] > 0 and "+" or "-") .. term[1] end
  return table.concat(words, " ")
end

fact.holds("a sum of weights is one block or two; of two levels, one, two or four", function()
  local sums = bilinear.weight_sums(bilinear.schemes.strassen)
  fact.equal(sum_text(sums[1]), "+b11 +b22")
  fact.equal(sum_text(sums[2]), "+b11")
  fact.equal(sum_text(sums[3]), "+b12 -b22")
  sums = bilinear.weight_sums(bilinear.schemes.strassen_twice)
  fact.equal(sum_text(sums[3 * 7 - 6]), "+b13 -b33 +b24 -b44")
  fact.equal(sum_text(sums[2 * 7 - 5]), "+b11")
end)

fact.finish()
