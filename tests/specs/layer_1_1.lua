-- Rows of a single number: every product has an inner dimension of one.
return {
  name = "layer_1_1",
  d_model = 1,
  n_heads = 1,
  seq_len = "1..40",
  outputs = { "attention" },
}
