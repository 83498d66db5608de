-- test: bits, soak, wide
return {
  -- The last 37 keys up to a query's own place, counted from the bottom right, over several running sums of keys: rows
  -- begin in the middle of vectors, tiles and blocks. Slopes of six heads, no power of two, and sinks.
  name = "window_48_6",
  d_model = 48,
  n_heads = 6,
  n_kv_heads = 2,
  d_head = 12,
  seq_len = "1..330",
  mask = { causal = "bottom_right", window = 37 },
  alibi = true,
  sinks = true,
  outputs = { "attention" },
}
