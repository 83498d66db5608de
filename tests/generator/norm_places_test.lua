-- norm_places_test.lua: norms over what blocks add to the residual: their weights, where they are among the operations
-- of a layer, and what is refused.
local fact = dofile("tests/generator/fact.lua")
local graph = require "plan.graph"
local spec = require "spec"

local function from(more)
  local raw = { kind = "encoder", name = "tiny", d_model = 8, n_heads = 2, n_layers = 1, seq_len = "1..20" }
  for key, value in pairs(more) do raw[key] = value end
  return spec.from_fields(raw)
end

local function norms_of(more)
  local s = assert(from(more))
  local roles, operations = {}, {}
  for _, role in ipairs(s.roles) do roles[#roles + 1] = role.name:match("^layers%.0%.(.*_norm)_weight$") end
  for _, op in ipairs(graph.at(graph.of_stack(s), "layer")) do
    if op.op == "norm" or op.op == "sum" then operations[#operations + 1] = op.name end
  end
  return table.concat(roles, " "), table.concat(operations, " ")
end

fact.holds("a norm over a block's result comes before the sum with the residual", function()
  local roles, operations = norms_of({ norm = { place = "sandwich", final = false } })
  fact.equal(roles, "attention_norm attention_result_norm ffn_norm ffn_result_norm")
  fact.equal(operations, "attention_result_norm attention_join ffn_norm ffn_result_norm ffn_join next_norm")
end)

fact.holds("norms may be over blocks' results alone", function()
  local roles, operations = norms_of({ norm = { place = "result" } })
  fact.equal(roles, "attention_result_norm ffn_result_norm")
  fact.equal(operations, "attention_result_norm attention_join ffn_result_norm ffn_join final_norm")
end)

fact.holds("blocks that read the same rows have both norms before the first result joins these", function()
  local roles, operations = norms_of({ norm = { place = "pre" }, layer = { parallel = true } })
  fact.equal(roles, "attention_norm ffn_norm")
  fact.equal(operations, "ffn_norm attention_join ffn_join next_norm")
  local _, errors = from({ layer = { parallel = true } })
  fact.equal(errors[1], 'layer.parallel is given, but norm.place is not "pre": each block has a norm of the rows ' ..
    "that both read")
  _, errors = from({ kind = "decoder", norm = { place = "pre" }, layer = { parallel = true } })
  fact.equal(errors[1], 'layer.parallel is given, but only layers of kind = "encoder" that attend have two blocks ' ..
    "which may read the same rows")
end)

fact.holds("without a residual there is no such norm, and a norm of the first block is not skipped", function()
  local _, errors = from({ layer = { attention = false, residual = false }, norm = { place = "sandwich" } })
  fact.equal(errors[#errors], 'norm.place = "sandwich" is over what joins the residual, but layer.residual = false')
  _, errors = from({ layer = { attention = false, residual = false }, norm = { place = "result" } })
  fact.equal(errors[#errors], 'norm.place = "result" is over what joins the residual, but layer.residual = false')
  _, errors = from({ norm = { place = "sandwich", skips_first = true } })
  fact.equal(errors[1], 'norm.skips_first is given, but without norm.place = "pre" and layers there is no norm to skip')
end)

fact.finish()
