-- test: every_line
-- An encoder whose scores add products with relative positions, as in DeBERTa v3: buckets of distances, a table that
-- all layers share, through a norm. d_model is not a multiple of a vector, and the table has more rows than keys.
return {
  kind = "encoder",
  name = "disentangled_45_3",
  d_model = 45,
  n_heads = 3,
  d_ff = 50,
  n_layers = 2,
  seq_len = "1..40",
  mask = { lengths = true },
  disentangled = { span = 26, max_distance = 31, norm_eps = 1e-7 },
  scale = 0.15,
  vocab_size = 40,
  embedding = { norm = true },
  ffn = { activation = "gelu" },
  pool = { kind = "mean" },
}
