-- test: every_line, numbers
return {
  -- Pairs side by side turn in 12 of a head's 19 dimensions, both of which end in the middle of a vector; LayerNorm
  -- before, keys shared, places up to 99, and a bias on just the projections that bias_q_v_40_8 leaves without.
  name = "rotary_57_6",
  d_model = 57,
  n_heads = 6,
  n_kv_heads = 3,
  d_head = 19,
  seq_len = "1..40",
  bias = { q = false, k = true, v = false, o = true },
  mask = { causal = "bottom_right" },
  rope = { layout = "interleaved", rotary_dim = 12, positions = 100 },
  qk_norm = { kind = "layer" },
  activation = { q = "gelu_tanh", v = "silu", o = "tanh" },
  outputs = { "attention" },
}
