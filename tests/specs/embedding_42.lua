-- test: every_template
-- No layers: token ids looked up and scaled, sines and cosines and types added.
return {
  kind = "encoder",
  name = "embedding_42",
  d_model = 42,
  n_layers = 0,
  seq_len = "1..40",
  vocab_size = 19,
  positions = { kind = "sinusoidal" },
  token_types = 3,
  embedding = { scale = true },
}
