-- projections_test.lua: which projections a spec may have, and what must be said of widths that differ.
local fact = dofile("tests/generator/fact.lua")
local spec = require "spec"

local function read(more)
  local fields = { d_model = 8, n_heads = 2 }
  if more.kind then fields.d_model = nil end
  for key, value in pairs(more) do fields[key] = value end
  return spec.from_fields(fields)
end

local function accepts(more)
  local s, errors = read(more)
  return s or error(table.concat(errors, "\n"), 2)
end

local function refuses(more, ...)
  local s, errors = read(more)
  fact.equal(s, nil)
  fact.lists_equal(errors, { ... })
end

local function roles_text(s)
  local parts = {}
  for _, role in ipairs(s.roles) do parts[#parts + 1] = role.name .. "[" .. table.concat(role.shape, ",") .. "]" end
  return table.concat(parts, " ")
end

fact.holds("what speaks of an output projection needs one, and token ids stand for inputs of one width", function()
  refuses({ projections = "qkv", bias = { o = true } },
    'bias names o, but projections = "qkv" has no output projection')
  refuses({ projections = "qkv", activation = { o = "relu" } },
    'activation names o, but projections = "qkv" has no output projection')
  refuses({ projections = "qkv", d_head = 3, d_out = 8 },
    'd_out (8) is given, but with projections = "qkv" the output is n_heads x d_head (6) wide')
  refuses({ vocab_size = 5, k_dim = 9, v_dim = 4 },
    "vocab_size (5) makes one input of token ids, but d_model (8) differs from k_dim (9) and v_dim (4)")
  fact.equal(accepts({ projections = "qkv", bias = { k = false }, activation = "relu" }).bias.o, false)
end)

fact.holds("weights have the widths of what they read and write", function()
  fact.equal(roles_text(accepts({ k_dim = 5, v_dim = 7, d_out = 3, d_head = 6, n_kv_heads = 1, bias = false })),
    "q_weight[12,8] k_weight[6,5] v_weight[6,7] o_weight[3,12]")
  fact.equal(roles_text(accepts({ projections = "qkv", d_head = 3, bias = { q = false } })),
    "q_weight[6,8] k_weight[6,8] k_bias[6] v_weight[6,8] v_bias[6]")
end)

fact.holds("shared heads split rows that are as wide as their heads", function()
  fact.equal(roles_text(accepts({ heads = "shared", bias = { k = false } })),
    "q_weight[4,4] q_bias[4] k_weight[4,4] v_weight[4,4] v_bias[4] o_weight[8,8] o_bias[8]")
  refuses({ heads = "shared", n_kv_heads = 1, v_dim = 4 },
    'heads = "shared" splits rows, but k_dim (8) is not n_kv_heads x d_head (1 x 4)')
end)

fact.holds("attention alone has no projections, and says what does not go with it", function()
  local s = accepts({ kind = "sdpa", n_heads = 6, n_kv_heads = 2, d_head = 3, d_v = 5 })
  fact.equal(("%d %d %d %d"):format(s.d_model, s.k_dim, s.v_dim, s.d_out), "18 6 10 30")
  fact.equal(s.name, "sdpa_18_6")
  fact.equal(#s.roles, 0)
  fact.equal(#s.maps, 0)
  refuses({ d_v = 3 }, 'd_v (3) needs kind = "sdpa"; a layer projects values to d_head')
  refuses({ kind = "sdpa", d_model = 7, d_head = 3 },
    'd_model (7) is not n_heads x d_head (6), which kind = "sdpa" makes it')
  refuses({ kind = "sdpa" }, 'd_head is missing (kind = "sdpa" needs it, for example d_head = 64)')
  refuses({ kind = "sdpa", d_head = 3, bias = true, vocab_size = 4, weights = "w_o" },
    'bias is given, but kind = "sdpa" has no projections', 'vocab_size is given, but kind = "sdpa" has no projections',
    'weights is given, but kind = "sdpa" has no projections')
end)

fact.finish()
