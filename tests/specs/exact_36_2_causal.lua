return {
  -- Exactly 197 rows, causal, and a scale of its own.
  name = "exact_36_2_causal",
  d_model = 36,
  n_heads = 2,
  seq_len = 197,
  scale = 0.5,
  mask = { causal = "top_left", lengths = false },
  outputs = { "attention" },
}
