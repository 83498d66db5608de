-- test: every_line
-- The head of ModernBERT: a dense linear without bias, gelu, a norm without bias, and a linear, of a mean; and logits
-- of masked words whose dense linear has no bias.
return {
  kind = "encoder",
  name = "classifier_norm_36_3",
  d_model = 36,
  n_heads = 3,
  d_ff = 40,
  n_layers = 2,
  seq_len = "1..40",
  mask = { lengths = true },
  vocab_size = 30,
  norm = { place = "pre", bias = false },
  ffn = { activation = "gelu", gated = true, fused = true, bias = false },
  pool = { kind = "mean" },
  classifier = { labels = 3, activation = "gelu", norm = true, dense_bias = false },
  logits = { kind = "linear", tied = true, bias = true, transform = "gelu", transform_bias = false },
}
