-- test: bits, programs
return {
  -- A classifier with weights in groups, on the mean of rows; logits after a transform, in groups too.
  kind = "encoder",
  name = "int8_g32_40_classifier",
  d_model = 40,
  n_heads = 2,
  n_layers = 2,
  norm = { place = "pre" },
  d_ff = 44,
  seq_len = "1..24",
  vocab_size = 37,
  pool = { kind = "mean" },
  classifier = { labels = 3, activation = "relu" },
  logits = { kind = "linear", size = 5, transform = "silu" },
  weights_dtype = "int8",
}
