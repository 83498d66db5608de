-- test: check, bits
return {
  -- A whole model whose linears differ in dtype: rows of bytes for its gated feed-forward, of pairs for down and v.
  kind = "decoder",
  name = "mixed_48_decoder",
  d_model = 48,
  n_heads = 3,
  n_layers = 2,
  d_ff = 140,
  seq_len = "1..30",
  vocab_size = 37,
  norm = { kind = "rms", place = "pre" },
  ffn = { activation = "silu", gated = true },
  logits = { kind = "linear" },
  cache = 50,
  dtype = { default = "int8", q = "f32", v = "i16", down = "i16", logits = "f32" },
}
