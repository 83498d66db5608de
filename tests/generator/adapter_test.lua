-- adapter_test.lua: the low-rank pair beside the feed-forward's last linear: its weights, and where it is in a layer.
local fact = dofile("tests/generator/fact.lua")
local graph = require "plan.graph"
local spec = require "spec"

local function from(ffn)
  return spec.from_fields({ kind = "encoder", d_model = 8, n_heads = 2, n_layers = 1, d_ff = 5,
    norm = { place = "sandwich" }, ffn = ffn })
end

fact.holds("an adapter is a pair of linears that adds to the last one before a norm over what joins", function()
  local s, roles, operations = assert(from({ adapter_rank = 3, adapter_scale = 0.5 })), {}, {}
  for _, role in ipairs(s.roles) do
    roles[#roles + 1] = role.name:find("adapter") and role.name .. " " .. table.concat(role.shape, "x") or nil
  end
  fact.lists_equal(roles, { "layers.0.adapter_a_weight 3x5", "layers.0.adapter_b_weight 8x3" })
  for _, op in ipairs(graph.of_stack(s).operations) do operations[#operations + 1] = op.name end
  fact.contains(table.concat(operations, " "), " down adapter_a adapter_b adapter_join ffn_result_norm ffn_join ")
end)

fact.holds("a scale without a rank is refused", function()
  local _, errors = from({ adapter_scale = 2 })
  fact.lists_equal(errors, { "ffn.adapter_scale is given, but without ffn.adapter_rank there is no adapter" })
end)

fact.finish()
