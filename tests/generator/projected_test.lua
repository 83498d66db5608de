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

fact.holds("norms of q and k are of a kind, and only LayerNorm adds a bias", function()
  refuses({ qk_norm = { eps = 1e-6 } },
    'qk_norm.kind is missing, but there are other fields of qk_norm: "rms" or "layer"')
  refuses({ qk_norm = { kind = "rms", bias = true } },
    'qk_norm.bias (true) and qk_norm.kind ("rms") contradict: RMSNorm adds none')
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
