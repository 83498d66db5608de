-- test: soak
return {
  -- No projection adds a bias, those of q, k and v serve all heads, and the inner products are not unrolled. Rows are
  -- exactly 128 and take every rotary place there is, causal from the bottom right.
  name = "no_bias_48_3",
  d_model = 48,
  n_heads = 3,
  seq_len = 128,
  bias = false,
  heads = "shared",
  unroll = 1,
  mask = { causal = "bottom_right" },
  rope = { layout = "half_split" },
}
