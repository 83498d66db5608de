-- ops/pooling.lua: one row for each sequence: its first (cls), or the mean of its real rows; of length one
-- on request.
local types = require "schema.types"

return {
  name = "pooling",
  of_decoder = true,
  fields = {
    { field = "pool.kind", flag = "--pool", value = "cls|mean", check = types.choice({ "cls", "mean" }),
      parse = function(word) return word end, default = "none",
      help = "also gives `embedding`, one row for each sequence: its first row, or the mean of its rows",
      group = "whole models", example = 'pool = { kind = "mean" }' },
    { field = "pool.normalize", flag = "--pool-normalize", value = "yes|no", check = types.boolean,
      parse = types.to_boolean, default = "no",
      help = "divide the embedding by its L2 norm, or by 1e-12 if that is larger",
      group = "whole models", example = 'pool = { kind = "mean", normalize = true }' },
  },
  resolve = function(spec, fail)
    if not spec.stack or not spec.pool then return end
    if not spec.pool.kind then fail('pool.kind is missing beside pool.normalize: "cls" or "mean"') end
    spec.pool.normalize = spec.pool.normalize or false
    spec.adds_rows = spec.adds_rows or spec.pool.kind == "mean"
  end,
  outputs = function(spec, add)
    if spec.pool then add("embedding", spec.pool.kind == "cls" and "first" or "all") end
  end,
  tensors = function(spec, add)
    if spec.pool then add({ name = "embedding", shape = { "batch", "d_model" }, is = "output" }) end
  end,
  last_operations = function(spec, add, words)
    if not spec.pool then return end
    add({ name = "embedding", op = spec.pool.kind .. " of rows", phase = "output", reads = { words.result },
      writes = { "embedding" }, template = "pooling.outputs" })
  end,
  on = function(spec) return spec.pool end,
  uses = { "added_rows" },
  sentence = function(spec)
    if not spec.pool then return nil end
    return ("embedding: %s%s"):format(
      spec.pool.kind == "cls" and "each sequence's first row" or "the mean of each sequence's real rows",
      spec.pool.normalize and ", over its length" or "")
  end,
}
