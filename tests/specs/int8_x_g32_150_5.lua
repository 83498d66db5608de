-- test: bits
return {
  -- A layer of rows of 8 bits by weights of 8 bits in groups, the last not full; grouped keys, a causal mask.
  name = "int8_x_g32_150_5",
  d_model = 150,
  n_heads = 5,
  n_kv_heads = 1,
  seq_len = "1..40",
  mask = { causal = true },
  dtype = "int8",
  weights_dtype = "int8",
}
