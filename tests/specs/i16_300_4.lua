-- test: bits, emulated, wide
return {
  -- A layer of products of 16 bits, several running sums deep.
  name = "i16_300_4",
  d_model = 300,
  n_heads = 4,
  n_kv_heads = 2,
  seq_len = "1..40",
  mask = { causal = true },
  dtype = "i16",
}
