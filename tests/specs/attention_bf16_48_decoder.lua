-- test: bits, check
return {
  -- A decoder that attends in bf16 to a cache in bf16, and to what it attends to besides; its linears multiply floats.
  kind = "decoder",
  name = "attention_bf16_48_decoder",
  d_model = 48,
  n_heads = 3,
  n_layers = 2,
  d_ff = 40,
  seq_len = "1..30",
  kv_seq_len = "1..20",
  norm = { kind = "rms", place = "pre" },
  rope = { layout = "half_split" },
  cache = 60,
  cache_dtype = "bf16",
  dtype = { attention = "bf16" },
}
