-- test: every_template
return {
  -- A whole model of products of 16 bits, its tied logits' too: RMSNorm before blocks, a gated feed-forward, a cache.
  kind = "decoder",
  name = "i16_40_decoder",
  d_model = 40,
  n_heads = 4,
  n_layers = 2,
  d_ff = 150,
  seq_len = "1..30",
  vocab_size = 51,
  norm = { kind = "rms", place = "pre" },
  ffn = { activation = "silu", gated = true },
  logits = { kind = "linear", tied = true },
  cache = 60,
  dtype = "i16",
}
