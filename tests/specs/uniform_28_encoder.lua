-- test: bits
return {
  -- Rows of a whole model that see no key have the mean of their sequence's values.
  kind = "encoder",
  name = "uniform_28_encoder",
  d_model = 28,
  n_heads = 2,
  n_layers = 2,
  d_ff = 32,
  seq_len = "1..50",
  mask = { tensor = "bool" },
  masked_row = "uniform",
}
