-- test: every_line, emulated
return {
  -- Attention of 8 bits over a cache in 8 bits, two running sums of keys deep: groups of two query heads, an odd number
  -- of dims that ends within a lane, a window, a sink.
  name = "attention_int8_cache_40_4",
  d_model = 40,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 19,
  seq_len = "1..70",
  cache = 300,
  cache_dtype = "int8",
  mask = { window = 140 },
  sinks = true,
  dtype = { attention = "int8" },
}
