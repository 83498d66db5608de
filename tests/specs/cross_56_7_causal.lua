return {
  -- Few queries at the end of many keys: causal from the bottom right, heads of 8 in an odd number, ranges that do not
  -- meet, so that self-attention is no call of this model.
  name = "cross_56_7_causal",
  d_model = 56,
  n_heads = 7,
  seq_len = "5..9",
  kv_seq_len = "20..61",
  mask = { causal = "bottom_right" },
  outputs = { "attention" },
}
