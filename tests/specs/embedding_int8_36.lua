-- test: every_line
return {
  -- An encoder whose table of token rows is kept as int8, beside products of int8: learned positions, types of tokens.
  kind = "encoder",
  name = "embedding_int8_36",
  d_model = 36,
  n_heads = 3,
  d_ff = 52,
  n_layers = 1,
  seq_len = "1..40",
  vocab_size = 43,
  positions = { kind = "learned" },
  token_types = 2,
  pool = { kind = "mean" },
  dtype = { default = "int8", embedding = "int8" },
}
