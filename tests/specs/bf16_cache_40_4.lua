-- test: every_line
return {
  -- A cache in half the bytes: groups of two query heads, heads of 20 that end within a vector of any set but one, a
  -- window, linears in half the bytes too.
  name = "bf16_cache_40_4",
  d_model = 40,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 20,
  seq_len = "1..70",
  cache = 150,
  cache_dtype = "bf16",
  mask = { window = 40 },
  weights_dtype = "bf16",
}
