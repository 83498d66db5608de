-- One causal attention layer that decodes with a cache (decode.c).
return {
  name = "decoder",
  d_model = 256,
  n_heads = 4,
  n_kv_heads = 2,
  seq_len = "1..64",
  cache = 512,
  rope = { layout = "half_split", theta = 10000, positions = 512 },
  bias = false,
}
