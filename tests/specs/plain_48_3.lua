return {
  -- No projection adds a bias, and the inner products are not unrolled.
  name = "plain_48_3",
  d_model = 48,
  n_heads = 3,
  seq_len = 128,
  bias = false,
  unroll = 1,
}
