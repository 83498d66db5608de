-- projected_test.lua: the fields of what is done to rows right after a projection: what they take and refuse.
local fact = dofile("tests/generator/fact.lua")
local spec = require "spec"

local function made(fields)
  local raw = { d_model = 8, n_heads = 2 }
  for key, value in pairs(fields) do raw[key] = value end
  return spec.from_fields(raw)
end

local function accepts(fields)
  local s, errors = made(fields)
  if not s then error(table.concat(errors, "\n"), 2) end
  return s
end

local function refuses(fields, ...)
  local s, errors = made(fields)
  fact.equal(s, nil)
  fact.lists_equal(errors, { ... })
end

fact.holds("activations are known by name, one for all projections or one for each", function()
  refuses({ activation = "gelu_new" }, 'activation must be one of none, relu, gelu, gelu_tanh, silu, tanh, ' ..
    'found "gelu_new"; or must be like { q = "relu", o = "gelu" }')
  refuses({ activation = { w = "relu", q = 3 } }, "activation field q must be one of none, relu, gelu, gelu_tanh, " ..
    'silu, tanh, found 3; has only the fields q, k, v and o, found "w"')
  local s = accepts({ activation = { k = "tanh", o = "none" } })
  fact.equal(s.activation.k, "tanh")
  fact.equal(s.activation.q or s.activation.v or s.activation.o, false)
  fact.equal(accepts({ activation = "silu" }).activation.o, "silu")
end)

fact.holds("rotary positions need pairs, within the head, and places for the longest sequence", function()
  refuses({ d_head = 15, rope = { layout = "half_split" } }, 'd_head (15) is odd, but rope.layout ("half_split") ' ..
    'turns pairs of dimensions; rope.rotary_dim may turn fewer')
  refuses({ rope = { layout = "interleaved", rotary_dim = 3 } },
    'rope.rotary_dim (3) is odd, but rope.layout ("interleaved") turns pairs of dimensions')
  refuses({ rope = { layout = "half_split", rotary_dim = 6 } }, "rope.rotary_dim (6) is more than d_head (4) has")
  refuses({ rope = { layout = "half_split", positions = 511 } },
    "rope.positions (511) is less than the longest sequence of seq_len, kv_seq_len and cache (512)")
  refuses({ rope = { theta = 500 } },
    "rope.layout is missing, but there are other fields of rope: half_split (Llama) or interleaved (GPT-J)")
  refuses({ rope = "half_split" }, 'rope must be a table like { layout = ... }, found "half_split"')
  refuses({ rope = { layout = "halves", theta = 0 } },
    'rope.layout must be one of half_split, interleaved, found "halves"',
    "rope.theta must be a number from 1 to 1e+12, found 0")
  local s = accepts({ d_head = 15, rope = { layout = "half_split", rotary_dim = 14 }, kv_seq_len = 600 })
  fact.equal(s.rope_places, 600)
  fact.equal(s.rope.theta, 10000)
  fact.equal(accepts({ rope = { layout = "interleaved" } }).rope.rotary_dim, 4)
end)

local function scaled(fields)
  local rope = { layout = "half_split" }
  for key, value in pairs(fields) do rope[key] = value end
  return { rope = rope }
end

-- The fields of struct ga_rope_scaling that such a spec gives, in words.
local function numbers(fields)
  local list = {}
  for i, field in ipairs(accepts(scaled(fields)).rope_scaling or {}) do
    local value = field[2]
    list[i] = field[1] .. "=" .. (type(value) == "table" and table.concat(value, "/") or tostring(value))
  end
  return table.concat(list, " ")
end

fact.holds("each kind of scaling needs and takes fields of its own", function()
  refuses(scaled({ factor = 2 }), "rope.factor is given, but rope.scaling is not")
  refuses(scaled({ scaling = "linear", original_positions = 9 }),
    'rope.original_positions is given, but rope.scaling = "linear" does not use it',
    'rope.factor is missing: rope.scaling = "linear" needs it')
  refuses(scaled({ scaling = "llama3", factor = 2, original_positions = 9, slow_turns = 4 }),
    "rope.slow_turns (4) is not below rope.fast_turns (4)")
  refuses(scaled({ scaling = "longrope", divisors = { 1, 2 }, rotary_dim = 2 }),
    "rope.divisors has 2 numbers, but 2 dimensions rotate, which are 1 pairs")
  refuses(scaled({ scaling = "longrope", divisors = { 1, 2 }, long_divisors = { 1, 2 } }),
    "rope.original_positions is missing: rope.long_divisors and rope.factor are about longer texts")
  refuses(scaled({ scaling = "longrope", divisors = { 1, "2" } }),
    'rope.divisors item 2 must be a number from 1e-06 to 1e+06, found "2"')
  refuses(scaled({ scaling = "longrope", divisors = { 1, n = 2 } }),
    "rope.divisors must be a list of numbers, without keys")
  refuses(scaled({ scaling = "longrope", divisors = {} }),
    "rope.divisors must be a list of 1 to 512 numbers, found a table")
  refuses(scaled({ scaling = "dynamic", factor = 2, original_positions = 9, rotary_dim = 2 }),
    "rope.rotary_dim (2) is one pair; dynamic scaling needs two")
  refuses(scaled({ scaling = "yarn", factor = 2, original_positions = 9, theta = 1 }),
    "rope.theta (1) rotates all pairs alike; yarn scaling needs slow and fast pairs")
end)

fact.holds("what depends on a length depends on the longest sequence of the spec", function()
  fact.equal(numbers({}), "")
  fact.equal(numbers({ scaling = "dynamic", factor = 2, original_positions = 512 }), "")
  fact.equal(numbers({ scaling = "dynamic", factor = 2, original_positions = 511, positions = 9999 }),
    "kind=ROPE_DYNAMIC factor=2 original=511 longest=512")
  local long = { scaling = "longrope", divisors = { 1, 2 }, long_divisors = { 3, 4 }, original_positions = 512 }
  fact.equal(numbers(long), "kind=ROPE_LONGROPE original=512 divisors=1/2")
  long.original_positions = 511
  fact.equal(numbers(long), "kind=ROPE_LONGROPE original=511 divisors=3/4")
  fact.equal(numbers({ scaling = "yarn", factor = 2, original_positions = 9 }),
    "kind=ROPE_YARN factor=2 original=9 slow=1 fast=32 truncate=true")
end)

fact.holds("norms of q and k are of a kind, and only LayerNorm adds a bias", function()
  refuses({ qk_norm = { eps = 1e-6 } },
    'qk_norm.kind is missing, but there are other fields of qk_norm: "rms" or "layer"')
  refuses({ qk_norm = { kind = "rms", bias = true } },
    'qk_norm.bias (true) and qk_norm.kind ("rms") contradict: RMSNorm adds none')
  refuses({ qk_norm = { kind = "layer", over = "row" } },
    'qk_norm.over ("row") is for qk_norm.kind = "rms"; LayerNorm is over each head')
  refuses({ qk_norm = { kind = "layer" }, weights = "qwen3" },
    'weights "qwen3" names no tensor for q_norm_bias and k_norm_bias, which this model needs')
  fact.equal(accepts({ qk_norm = { kind = "rms" } }).qk_norm.eps, 1e-6)
  fact.equal(accepts({ qk_norm = { kind = "layer" } }).qk_norm.bias, true)
  fact.equal(accepts({ qk_norm = { kind = "layer", bias = false } }).qk_norm.bias, false)
end)

fact.holds("dropout is taken for the record and changes nothing that is made", function()
  refuses({ dropout = 1.5 }, "dropout must be a number from 0 to 1, found 1.5")
  fact.equal(#accepts({ dropout = 0.1 }).roles, #accepts({}).roles)
end)

fact.finish()
