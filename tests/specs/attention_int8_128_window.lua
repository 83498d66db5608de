-- test: check
return {
  -- The same of a head two matrices deep, whose values lie in several panels, with a window that begins after the first
  -- running sum of keys.
  name = "attention_int8_128_window",
  d_model = 40,
  n_heads = 1,
  d_head = 128,
  seq_len = "1..330",
  mask = { causal = true, window = 150 },
  dtype = { attention = "int8" },
}
