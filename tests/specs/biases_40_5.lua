return {
  -- A bias on some projections only, a length of exactly 20, inner products unrolled beyond the head.
  name = "biases_40_5",
  d_model = 40,
  n_heads = 5,
  seq_len = 20,
  bias = { q = true, k = false, v = true, o = false },
  unroll = 16,
  outputs = { "attention" },
}
