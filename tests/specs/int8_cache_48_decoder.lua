-- test: bits
return {
  -- A decoder whose cache keeps its own rows and those of what it attends to as integers with scales; linears in half
  -- the bytes.
  kind = "decoder",
  name = "int8_cache_48_decoder",
  d_model = 48,
  n_heads = 3,
  n_layers = 2,
  d_ff = 40,
  seq_len = "1..30",
  kv_seq_len = "1..20",
  norm = { kind = "rms", place = "pre" },
  rope = { layout = "half_split" },
  cache = 60,
  cache_dtype = "int8",
  weights_dtype = "bf16",
}
