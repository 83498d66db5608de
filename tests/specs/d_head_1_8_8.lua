return {
  -- Heads of a single element, fewer than any vector holds.
  name = "d_head_1_8_8",
  d_model = 8,
  n_heads = 8,
  seq_len = "1..33",
}
