return {
  -- A classifier with weights in groups, on the mean of rows.
  kind = "encoder",
  name = "int8_40_classes",
  d_model = 40,
  n_heads = 2,
  n_layers = 2,
  norm = { place = "pre" },
  d_ff = 44,
  seq_len = "1..24",
  vocab_size = 37,
  pool = { kind = "mean" },
  classifier = { labels = 3, activation = "relu" },
  weights_dtype = "int8",
}
