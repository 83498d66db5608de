-- test: every_line
return {
  -- A cache of integers with a scale for each row: groups of two query heads, an odd number of dims that ends within a
  -- vector of any set, a window.
  name = "int8_cache_40_4",
  d_model = 40,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 19,
  seq_len = "1..70",
  cache = 150,
  cache_dtype = "int8",
  mask = { window = 40 },
}
