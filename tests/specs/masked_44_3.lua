return {
  -- A mask of bytes with each call, under a causal range, over lengths.
  name = "masked_44_3",
  d_model = 44,
  n_heads = 3,
  d_head = 20,
  seq_len = "1..60",
  mask = { tensor = "bool", causal = "bottom_right" },
  outputs = { "attention" },
}
