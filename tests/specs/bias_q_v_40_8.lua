return {
  -- A bias on some projections only, a length of exactly 20, inner products unrolled beyond the head.
  name = "bias_q_v_40_8",
  d_model = 40,
  n_heads = 8,
  seq_len = 20,
  bias = { q = true, k = false, v = true, o = false },
  unroll = 8,
  outputs = { "attention" },
}
