return {
  -- No projection adds a bias, those of q, k and v serve all heads, and the inner products are not unrolled.
  name = "plain_48_3",
  d_model = 48,
  n_heads = 3,
  seq_len = 128,
  bias = false,
  heads = "shared",
  unroll = 1,
}
