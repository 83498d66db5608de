return {
  -- One head as wide as the layer.
  name = "one_head_128",
  d_model = 128,
  n_heads = 1,
  seq_len = "1..65",
  outputs = { "attention" },
}
