-- ops/pooling.lua: one row for each sequence: its first (cls) or last, or a mean of its real rows; its first numbers
-- alone, and of length one, on request.
local text = require "base.text"
local types = require "schema.types"

-- Ways to pool: which rows of a sequence each reads, as plan/one_row.lua says it, and what `info` calls the result.
local WAYS = {
  cls = { rows = "first", says = "each sequence's first row" },
  last = { rows = "last", says = "each sequence's last real row" },
  mean = { rows = "all", says = "the mean of each sequence's real rows", adds_rows = true },
  weighted_mean = { rows = "all", says = "the mean of each sequence's real rows, in which row i counts i + 1 times" },
}
local SIMILARITIES = { "cosine", "dot", "euclidean", "manhattan" }
local KINDS = { "cls", "last", "mean", "weighted_mean" }
local EXPECTED = '"cls", "last", "mean" or "weighted_mean"'

local function check_size(spec, fail)
  local size = spec.pool.size
  if size and spec.classifier then
    fail("pool.size is given, but the classifier takes the whole row; leave pool.size out")
  elseif size and not spec.dense and size > spec.d_model then
    fail(("pool.size is %d; expected at most %d, the row's d_model"):format(size, spec.d_model))
  end
end

return {
  name = "pooling",
  of_decoder = true,
  fields = {
    { field = "pool.kind", flag = "--pool", check = types.choice(KINDS), default = "none",
      help = "also gives `embedding`, one row for each sequence: its first row, its last row, the mean of its rows, " ..
        "or a mean whose weights are 1 for the first row, 2 for the second, and so on",
      group = "whole models", example = 'pool = { kind = "mean" }' },
    { field = "pool.size", flag = "--pool-size", check = types.count(1, 65536), default = "all",
      help = "the embedding is the first N numbers of this row, or of the last of the linears after it",
      group = "whole models", example = 'pool = { kind = "mean", size = 8 }' },
    { field = "pool.normalize", flag = "--pool-normalize", check = types.boolean, default = "no",
      help = "divide the embedding by its L2 norm, or by 1e-12 if that is larger",
      group = "whole models", example = 'pool = { kind = "mean", normalize = true }' },
    { field = "pool.similarity", flag = "--pool-similarity", check = types.choice(SIMILARITIES), default = "cosine",
      help = "how `search` compares embeddings: their cosine, their inner product, or a distance below 0",
      group = "whole models", example = 'pool = { kind = "mean", similarity = "dot" }' },
  },
  resolve = function(spec, fail)
    if not spec.stack or not spec.pool then return end
    if not spec.pool.kind then
      fail(("pool.kind is missing beside pool.%s: %s"):format(text.sorted_keys(spec.pool)[1], EXPECTED))
    end
    spec.pool.normalize, spec.pool.similarity = spec.pool.normalize or false, spec.pool.similarity or "cosine"
    check_size(spec, fail)
    spec.d_embedding = spec.pool.size or spec.d_model -- unless linears follow, of which ops/dense.lua says it
    spec.adds_rows = spec.adds_rows or spec.pool.kind and WAYS[spec.pool.kind].adds_rows
  end,
  outputs = function(spec, add)
    if spec.pool then add("embedding", WAYS[spec.pool.kind].rows) end
  end,
  tensors = function(spec, add)
    if spec.pool then add({ name = "embedding", shape = { "batch", "d_embedding" }, is = "output" }) end
  end,
  last_operations = function(spec, add, words)
    if not spec.pool or spec.dense then return end
    add({ name = "embedding", op = spec.pool.kind .. " of rows", phase = "output", reads = { words.result },
      writes = { "embedding" }, template = spec.pool.size and "pool_first.outputs" or "pooling.outputs" })
  end,
  on = function(spec) return spec.pool end,
  uses = { "added_rows" },
  words = function(spec) return { pooled_rows = spec.pool and spec.pool.kind and WAYS[spec.pool.kind].rows } end,
  properties = function(spec)
    local pool = spec.pool
    return { { "pool", "POOL_" .. pool.kind:upper() }, { "pool_normalize", pool.normalize },
      { "similarity", "SIMILARITY_" .. pool.similarity:upper() }, { "d_embedding", spec.d_embedding } }
  end,
  sentence = function(spec)
    if not spec.pool then return nil end
    return ("embedding: %s%s%s"):format(WAYS[spec.pool.kind].says, spec.pool.size and
      (", of it the first %d numbers"):format(spec.pool.size) or "", spec.pool.normalize and ", over its length" or "")
  end,
}
