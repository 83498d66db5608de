-- ops/tokens.lua: where a stack's rows come from: those that a call gives, or the embedding's rows of its tokens.
-- The field is a feature's, as a single layer takes tokens too.
return {
  name = "tokens",
  resolve = function(spec)
    spec.own_token_table = spec.vocab_size ~= nil
  end,
  first_roles = function(spec, add)
    if spec.vocab_size then add("embedding", { spec.vocab_size, spec.d_model }) end
  end,
  packed_vocabulary = function(spec, add)
    if spec.own_token_table then add("embedding", spec.vocab_size * spec.d_model) end
  end,
  splices = function(spec)
    return {
      in_functions = spec.vocab_size and "tokens.in_functions.c.lt",
      token_row = spec.own_token_table and "tokens.token_row.c.lt",
      row_in = "tokens.row_in.c.lt",
      pack_vocabulary = spec.own_token_table and "tokens.pack_vocabulary.c.lt",
    }
  end,
}
