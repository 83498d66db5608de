-- features_test.lua: each feature keeps to the contract of attention/init.lua, and says what it does.
local fact = dofile("tests/generator/fact.lua")
local features = require "attention"
local fs = require "base.fs"
local fields = require "schema.fields"
local sandbox = require "schema.sandbox"
local isa = require "isa"
local packing = require "plan.packing"
local plan = require "plan"
local spec = require "spec"

local KEYS = { name = "string", fields = "table", resolve = "function", check = "function", roles = "function",
  packed = "function", tensors = "function", operations = "function", on = "function", uses = "table", calls = "table",
  looked_up = "table", beside = "table", helpers = "function", sentence = "function", properties = "function",
  of_rows = "boolean", in_layers = "boolean", of_decoder = "boolean" }
local MODIFIER_KEYS = { score_order = "string", after = "table", weights = "table", idle = "number",
  by_distance = "boolean" }

local function make(more)
  local raw = { d_model = 8, n_heads = 4 }
  for key, value in pairs(more or {}) do raw[key] = value end
  local s, errors = spec.from_fields(raw)
  if not s then error(table.concat(errors, "\n"), 2) end
  return s
end

local function has_sentence(s, sentence)
  for _, said in ipairs(spec.sentences(s)) do
    if said == sentence then return true end
  end
  return false
end

-- -- The contract ---------------------------------------------------------------------------------------------------

fact.holds("a feature has only what the contract lists", function()
  for _, feature in ipairs(features) do
    local is_modifier = feature.score_order ~= nil
    for key, value in pairs(feature) do
      fact.equal(type(value), KEYS[key] or is_modifier and MODIFIER_KEYS[key])
    end
    fact.equal(require((is_modifier and "attention.modifiers." or "attention.") .. feature.name), feature)
  end
end)

fact.holds("every file of the folder is listed", function()
  local listed = { init = true, order = true, path = true, stages = true }
  for _, feature in ipairs(features) do listed[feature.name] = not feature.score_order or nil end
  for _, file in ipairs(assert(fs.list("generator/attention"))) do
    assert(file == "modifiers" or listed[file:match("^(.*)%.lua$")], file)
  end
end)

fact.holds("no field has two owners", function()
  local seen = {}
  local function own(list)
    for _, field in ipairs(list) do
      assert(not seen[field.field], field.field)
      assert(type(field.check) == "function", field.field)
      seen[field.field] = true
    end
  end
  own(fields)
  for _, feature in ipairs(features) do own(feature.fields or {}) end
end)

-- -- What they say --------------------------------------------------------------------------------------------------

fact.holds("each feature says what it does, or nothing where it is off", function()
  local cases = {
    { {}, "every projection adds a bias" },
    { { bias = false }, "no projection adds a bias" },
    { { bias = { k = false, v = false } }, "bias on q, o only" },
    { {}, "scores are scaled by 1/sqrt(d_head)" },
    { { scale = "d_model" }, "scores are scaled by 1/sqrt(d_model)" },
    { { scale = 0.25 }, "scores are scaled by 0.25" },
    { {}, "lengths per sequence: padding is neither computed nor seen" },
    { { mask = { causal = true } }, "causal, aligned top left: tiles beyond the diagonal are not computed" },
    { { mask = { causal = "bottom_right" } },
      "causal, aligned bottom right: tiles beyond the diagonal are not computed" },
    { { mask = { causal = true, window = 128 } },
      "a query sees the last 128 keys up to its own place; tiles of keys outside are not computed" },
    { { mask = { window = 128, window_sides = "both" } },
      "query i sees keys closer than 128 places; tiles of keys outside are not computed" },
    { { softcap = 50 }, "scores are capped softly: 50 * tanh(score / 50)" },
    { { sinks = true }, "each head has a sink: a logit in softmax's sum that weighs no value" },
    { { alibi = true }, "ALiBi: scores fall with the distance of the key, to both sides" },
    { { alibi = true, mask = { causal = true } }, "ALiBi: scores fall with the distance of the key" },
    { { relative_bias = { num_buckets = 32 } },
      "scores add a learned number of 32 buckets of distances up to 128, half of them for later keys" },
    { { n_kv_heads = 2 }, "2 query heads share each of 2 key and value heads" },
    { { outputs = { "attention" } }, "softmax weights are written on request" },
    { { outputs = { "attention", "q_proj", "scores" } }, "softmax weights, q_proj and scores are written on request" },
    { { outputs = { "x_heads" } }, "x_heads is written on request" },
    { { vocab_size = 9 }, "token ids below 9 are looked up in the embedding" },
    { { d_head = 4, rope = { layout = "half_split", rotary_dim = 2 } },
      "rotary positions, half split, theta 10000, of 2 dimensions of a head; places 0..511" },
    { { rope = { layout = "half_split", scaling = "linear", factor = 2 } },
      "rotary positions are scaled (linear) for texts 2 times as long as those of training" },
    { { rope = { layout = "half_split", scaling = "llama3", factor = 8, original_positions = 99 } },
      "rotary positions are scaled (llama3) for texts 8 times as long as 99" },
    { { d_head = 4, rope = { layout = "half_split", scaling = "dynamic", factor = 8, original_positions = 512 } },
      "rotary positions are scaled (dynamic) not at all, because no sequence is longer than 512" },
    { { d_head = 4, rope = { layout = "half_split", scaling = "dynamic", factor = 8, original_positions = 511 } },
      "rotary positions are scaled (dynamic) for sequences of 512, after training with 511" },
    { { d_head = 4, rope = { layout = "half_split", scaling = "longrope", divisors = { 2, 3 }, rotary_dim = 4 } },
      "rotary positions are scaled (longrope) by a divisor for each pair" },
    { { d_head = 4, rope = { layout = "half_split", scaling = "longrope", divisors = { 2 }, rotary_dim = 2,
      long_divisors = { 3 }, original_positions = 511 } },
      "rotary positions are scaled (longrope) by the divisors for sequences above 511" },
    { { qk_norm = { kind = "rms" } }, "RMSNorm over each head of q and k, eps 1e-06" },
    { { qk_norm = { kind = "layer", eps = 0.5 } }, "LayerNorm over each head of q and k, eps 0.5" },
    { { qk_norm = { kind = "rms", unit_offset = true } },
      "RMSNorm over each head of q and k, eps 1e-06, times 1 + weight" },
    { { qk_norm = { kind = "rms", over = "row" } }, "RMSNorm over all heads of q together, and all of k, eps 1e-06" },
    { { dropout = 0.1 }, "dropout 0.1 acts in training only: here it is the identity" },
    { { activation = "gelu" }, "gelu after q, k, v and o, while their rows are in cache" },
    { { activation = { q = "relu", v = "relu", o = "silu" } },
      "relu after q and v, silu after o, while their rows are in cache" },
    { {}, "a row that sees no key has zero attention, so its output is the output bias" },
  }
  for _, case in ipairs(cases) do assert(has_sentence(make(case[1]), case[2]), case[2]) end
  fact.equal(#spec.sentences(make()), 4)
  fact.equal(#spec.sentences(make({ mask = { lengths = false } })), 3)
end)

fact.holds("the specs that the document of specs shows are specs", function()
  local names = {}
  for text in assert(fs.read("docs/spec.md")):gmatch("\n    (return {\n.-\n    })\n") do
    local s, errors = spec.from_fields(assert(sandbox.read(text)))
    if not s then error(table.concat(errors, "\n")) end
    names[#names + 1] = s.name
  end
  fact.lists_equal(names, { "reader", "minilm" })
end)

-- -- Roles ----------------------------------------------------------------------------------------------------------

local function roles_text(s)
  local parts = {}
  for _, role in ipairs(s.roles) do parts[#parts + 1] = role.name .. "[" .. table.concat(role.shape, ",") .. "]" end
  return table.concat(parts, " ")
end

fact.holds("roles are in PyTorch's orientation, out before in", function()
  fact.equal(roles_text(make()),
    "q_weight[8,8] q_bias[8] k_weight[8,8] k_bias[8] v_weight[8,8] v_bias[8] o_weight[8,8] o_bias[8]")
end)

fact.holds("any of the sixteen sets of biases gives the roles it names and packs no other", function()
  for set = 0, 15 do
    local bias, wanted = {}, {}
    for i, p in ipairs({ "q", "k", "v", "o" }) do
      bias[p] = math.floor(set / 2 ^ (i - 1)) % 2 == 1
      wanted[#wanted + 1] = p .. "_weight"
      wanted[#wanted + 1] = bias[p] and p .. "_bias" or nil
    end
    local s, names = make({ bias = bias }), {}
    for i, role in ipairs(s.roles) do names[i] = role.name end
    fact.lists_equal(names, wanted)
    local packed = {}
    for _, linear in ipairs(packing.lists(plan.make(s, isa.get("scalar")))[1].linears) do
      packed[#packed + 1] = names[linear.weight + 1]
      packed[#packed + 1] = linear.bias and names[linear.bias + 1] or nil
    end
    table.sort(packed)
    table.sort(wanted)
    fact.lists_equal(packed, wanted)
  end
end)

fact.holds("biases, key heads and an embedding change the roles", function()
  fact.equal(roles_text(make({ d_head = 3, n_kv_heads = 2, bias = { q = true, k = false, v = true, o = false },
    vocab_size = 5 })), "q_weight[12,8] q_bias[12] k_weight[6,8] v_weight[6,8] v_bias[6] o_weight[8,12] embedding[5,8]")
  fact.equal(roles_text(make({ bias = false, qk_norm = { kind = "layer" } })), "q_weight[8,8] k_weight[8,8] " ..
    "v_weight[8,8] o_weight[8,8] q_norm_weight[2] q_norm_bias[2] k_norm_weight[2] k_norm_bias[2]")
end)

fact.finish()
