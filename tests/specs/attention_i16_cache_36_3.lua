-- test: every_line
return {
  -- Attention of 16 bits over a cache of floats, which each call rounds, two running sums of keys deep.
  name = "attention_i16_cache_36_3",
  d_model = 36,
  n_heads = 3,
  n_kv_heads = 1,
  seq_len = "1..70",
  cache = 300,
  dtype = { attention = "i16" },
}
