-- ops/adapter.lua: a low-rank pair beside the last linear of each feed-forward (Hu et al., "LoRA", 2021): to down(h) it
-- adds scale times b(a(h)). Both multiply what down multiplies.
local fmt = require "base.fmt"
local linear = require "ops.linear"
local types = require "schema.types"

-- One linear of the pair.
local function operation(spec, name, what, reads, writes, n_out, n_in)
  return linear.operation(spec, { name = name, role = "down", what = what, reads = { reads }, writes = { writes },
    width = "ADAPTER_RANK", parts = { { role = name, n_out = n_out, n_in = n_in } } })
end

return {
  name = "adapter",
  weights = { "adapter_a_weight", "adapter_b_weight" },
  fields = {
    { field = "ffn.adapter_rank", flag = "--ffn-adapter-rank", check = types.count(1, 65536), default = "none",
      help = "rank of a pair of linears that adds its result to that of the last linear of the feed-forward (LoRA)",
      group = "whole models", example = "ffn = { adapter_rank = 8, adapter_scale = 2 }" },
    { field = "ffn.adapter_scale", flag = "--ffn-adapter-scale", check = types.number(1e-6, 1e6), default = "1",
      help = "factor of what that pair adds: alpha / rank",
      group = "whole models", example = "ffn = { adapter_rank = 8, adapter_scale = 0.5 }" },
  },
  resolve = function(spec, fail)
    local ffn = spec.ffn or {}
    if ffn.adapter_scale and not ffn.adapter_rank then
      fail("ffn.adapter_scale is given, but without ffn.adapter_rank there is no adapter")
    end
    spec.adapter = ffn.adapter_rank and { rank = ffn.adapter_rank, scale = ffn.adapter_scale or 1 } or nil
  end,
  on = function(spec) return spec.adapter end,
  tensors = function(spec, add)
    if not spec.adapter then return end
    add({ name = "low", shape = { "block", "rank" }, width = spec.adapter.rank, stride = "ADAPTER_RANK" })
    add({ name = "adapted", shape = { "block", "d_model" }, width = spec.d_model, stride = "D_MODEL" })
  end,
  result_operations = function(spec, add, sublayer, words)
    if not spec.adapter or sublayer.name ~= "ffn" then return end
    local rank = spec.adapter.rank
    add(operation(spec, "adapter_a", "feed-forward -> rank of the adapter", "mid", "low", rank, spec.d_ff))
    add(operation(spec, "adapter_b", "rank of the adapter -> what it adds", "low", "adapted", spec.d_model, rank))
    add({ name = "adapter_join", op = "scaled sum", phase = "block", reads = { words.joining, "adapted" },
      writes = { words.joining }, template = "adapter.joins" })
  end,
  sentence = function(spec)
    local adapter = spec.adapter
    return adapter and ("an adapter of rank %d beside the last linear of each feed-forward, times %s"):format(
      adapter.rank, fmt.double(adapter.scale)) or nil
  end,
}
