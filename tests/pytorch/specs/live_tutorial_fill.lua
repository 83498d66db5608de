-- The transformer of the well-known tutorial as it is called there: masks of source, target and memory, and
-- a number that masks.
return {
  kind = "transformer",
  name = "live_tutorial_fill",
  d_model = 48,
  n_heads = 4,
  d_ff = 96,
  n_layers = 2,
  vocab_size = 61,
  src_vocab_size = 53,
  seq_len = "1..40",
  kv_seq_len = "1..40",
  mask = { tensor = "bool", memory = "bool", lengths = false },
  mask_fill = -1e9,
  positions = { kind = "sinusoidal" },
  norm = { eps = 1e-12 },
  logits = { kind = "linear", bias = true },
  weights = "tutorial",
}
