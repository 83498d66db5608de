-- A causal layer whose keys and values a file may bring, and take along.
return {
  name = "fuzz_cache",
  d_model = 4,
  n_heads = 2,
  n_kv_heads = 1,
  seq_len = "1..6",
  mask = { causal = "bottom_right" },
  bias = false,
  cache = 9,
}
