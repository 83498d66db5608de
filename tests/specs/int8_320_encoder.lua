-- test: every_line, emulated
return {
  -- Products of whole matrices of bytes: sums of 64 and of 160 products, columns of two vectors, of one and of a part.
  kind = "encoder",
  name = "int8_320_encoder",
  d_model = 64,
  n_heads = 2,
  n_layers = 1,
  d_ff = 320,
  seq_len = "1..70",
  pool = { kind = "mean" },
  classifier = { labels = 19 },
  dtype = "int8",
}
