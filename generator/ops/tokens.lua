-- ops/tokens.lua: where a stack's rows come from: those that a call gives, or the embedding's rows of its tokens.
-- The field is a feature's, as a single layer takes tokens too.
return {
  name = "tokens",
  uses = { "tables" },
  resolve = function(spec)
    spec.own_token_table = spec.vocab_size ~= nil
  end,
  first_roles = function(spec, add)
    if spec.vocab_size then add("embedding", { spec.vocab_size, spec.d_model }) end
  end,
  packed_vocabulary = function(spec, add)
    if spec.own_token_table then add("embedding", spec.vocab_size * spec.d_model) end
  end,
  tensors = function(spec, add)
    add({ name = "query", shape = { "batch", "q_len", "d_model" }, is = "input" })
    if spec.vocab_size then add({ name = "tokens", shape = { "batch", "q_len" }, dtype = "i32", is = "input" }) end
  end,
  first_operations = function(spec, add)
    add({ name = "rows", op = spec.vocab_size and "lookup or copy" or "copy", phase = "row",
      reads = { "query", spec.vocab_size and "tokens" or nil }, writes = { "x" },
      weights = { spec.vocab_size and "embedding" or nil }, template = "tokens.row_in" })
  end,
}
