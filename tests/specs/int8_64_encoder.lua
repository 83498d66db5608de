-- test: bits
return {
  -- A whole model of products of bytes, its logits' and its classifier's too: gelu, LayerNorm after blocks.
  kind = "encoder",
  name = "int8_64_encoder",
  d_model = 64,
  n_heads = 4,
  n_layers = 2,
  d_ff = 600,
  seq_len = "1..30",
  ffn = { activation = "gelu" },
  pool = { kind = "mean" },
  logits = { kind = "log_softmax", size = 21 },
  classifier = { labels = 3 },
  dtype = "int8",
}
