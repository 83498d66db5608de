-- test: every_line
return {
  -- A whole model of products of bf16, its tied logits' too: LayerNorm after blocks, a plain feed-forward, a cache.
  kind = "decoder",
  name = "bf16_x_bf16_42",
  d_model = 42,
  n_heads = 3,
  n_layers = 2,
  d_ff = 134,
  seq_len = "1..30",
  vocab_size = 51,
  norm = { kind = "layer", place = "post" },
  ffn = { activation = "gelu" },
  logits = { kind = "linear", tied = true },
  cache = 60,
  dtype = "bf16",
}
