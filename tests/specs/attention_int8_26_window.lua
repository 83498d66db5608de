-- test: bits, check
return {
  -- Attention of 8 bits with a window, two running sums of keys deep, in which the first one may end before a row's
  -- window; a sink; softmax weights are an output. Heads fill no lane and share keys.
  name = "attention_int8_26_window",
  d_model = 26,
  n_heads = 4,
  d_head = 13,
  n_kv_heads = 2,
  seq_len = "1..300",
  mask = { causal = true, window = 120 },
  sinks = true,
  outputs = { "attention", "scores" },
  dtype = { attention = "int8" },
}
