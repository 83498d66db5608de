-- test: every_template
-- An encoder whose layers share one bias for buckets of distances, as in MPNet; d_model is no multiple of a vector.
return {
  kind = "encoder",
  name = "shared_bias_45_3",
  d_model = 45,
  n_heads = 3,
  d_ff = 50,
  n_layers = 2,
  seq_len = "1..70",
  mask = { lengths = true },
  relative_bias = { num_buckets = 12, max_distance = 30, shared = true },
  vocab_size = 40,
  positions = { kind = "learned", first = 2, padding = 1 },
  embedding = { norm = true },
  ffn = { activation = "gelu" },
  pool = { kind = "mean" },
}
