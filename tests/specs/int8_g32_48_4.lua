-- test: every_line
return {
  -- Linears in half the bytes: heads that end within a vector and share keys, another output width, a mask of numbers,
  -- rotary places.
  name = "int8_g32_48_4",
  d_model = 48,
  n_heads = 4,
  n_kv_heads = 2,
  d_head = 14,
  d_out = 37,
  seq_len = "1..50",
  mask = { tensor = "additive" },
  rope = { layout = "half_split" },
  weights_dtype = "int8",
}
