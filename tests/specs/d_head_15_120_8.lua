-- test: bits, numbers, emulated
return {
  -- Heads of 15, one less than a vector of 16 and than two of 8.
  name = "d_head_15_120_8",
  d_model = 120,
  n_heads = 8,
  seq_len = "1..100",
}
