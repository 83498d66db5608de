-- test: every_line
return {
  -- Attention alone: heads as they are given, two of keys, those of values wider and no whole vector, causal.
  name = "sdpa_6_13",
  kind = "sdpa",
  n_heads = 6,
  n_kv_heads = 2,
  d_head = 13,
  d_v = 20,
  seq_len = "1..70",
  mask = { causal = "top_left" },
  outputs = { "attention", "scores" },
}
