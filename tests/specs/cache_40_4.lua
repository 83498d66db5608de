-- test: every_template, wheels, lua, shared, races
return {
  -- A cache, groups of two query heads, heads of 10 that fill no vector, other lengths of queries than of new keys.
  name = "cache_40_4",
  d_model = 40,
  n_heads = 4,
  n_kv_heads = 2,
  seq_len = "1..70",
  cache = 150,
}
