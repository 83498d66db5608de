-- projected_test.lua: the fields of what is done to rows right behind a projection: what they take and refuse.
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

fact.finish()
