-- dense_test.lua: linears after pooling in a spec: what they read, what each shares with the others, what is refused.
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path

local compat = require "base.compat"
local fact = dofile("tests/generator/fact.lua")
local spec = require "spec"

local MEAN = { kind = "mean" }

-- The fields of a small encoder that pools so, with these linears.
local function with(pool, dense, more)
  local fields = { kind = "encoder", d_model = 8, n_heads = 2, n_layers = 1, d_ff = 8, pool = pool, dense = dense }
  for field, value in pairs(more or {}) do fields[field] = value end
  return fields
end

local function refuses(fields, message)
  local s, errors = spec.from_fields(fields)
  fact.equal(s, nil)
  fact.lists_equal(errors, { message })
end

fact.holds("linears after pooling read what the one before gives, and share what is said once", function()
  local dense = { sizes = { 70, 29 }, activation = "tanh", bias = { false, true } }
  local s = assert(spec.from_fields(with(MEAN, dense)))
  local last = {}
  for i, role in ipairs(s.roles) do last[i] = role.name .. " " .. table.concat(role.shape, "x") end
  fact.lists_equal({ compat.unpack(last, #last - 2) }, { ("dense_0_weight 70x%d"):format(s.d_model),
    "dense_1_weight 29x70", "dense_1_bias 29" })
  fact.lists_equal(s.dense.activation, { "tanh", "tanh" })
  fact.equal(s.d_embedding, 29)
end)

fact.holds("linears after pooling that contradict other fields are refused", function()
  refuses(with(nil, { sizes = 8 }),
    "dense is given, but without pool.kind there is no row of a sequence to multiply: give pool.kind")
  refuses(with(MEAN, { bias = false }), "dense.sizes is missing, but there are other fields of dense")
  refuses(with(MEAN, { sizes = { 8, 4, 2 }, activation = { "tanh", "none" } }),
    "dense.activation has 2 values; expected 1 or 3, one for each of dense.sizes")
  refuses(with(MEAN, { sizes = { 1, 2, 3, 4, 5 } }), "dense.sizes must be one value or a list of at most 4, found 5")
  refuses(with(MEAN, { sizes = 8 }, { classifier = { labels = 2 } }),
    "dense is given, and classifier too; expected one of them: a classifier has a dense linear of its own")
end)

fact.finish()
