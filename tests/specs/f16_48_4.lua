-- test: bits
return {
  -- Linears in half precision: heads that end within a vector and share keys, another output width, a causal mask.
  name = "f16_48_4",
  d_model = 48,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 14,
  d_out = 37,
  seq_len = "1..50",
  mask = { causal = true },
  weights_dtype = "f16",
}
