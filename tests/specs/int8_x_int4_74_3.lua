-- test: bits
return {
  -- A layer of rows of 8 bits by weights of 4: groups that end within a head, two of them whole, and other widths.
  name = "int8_x_int4_74_3",
  d_model = 74,
  n_heads = 3,
  n_kv_heads = 3,
  d_head = 26,
  d_out = 53,
  seq_len = "1..40",
  mask = { causal = true },
  dtype = "int8",
  weights_dtype = "int4",
}
