-- test: programs
-- A decoder without norms, with a cache.
return {
  kind = "decoder",
  name = "no_norm_36_3",
  d_model = 36,
  n_heads = 3,
  d_ff = 512,
  n_layers = 2,
  seq_len = "1..40",
  kv_seq_len = "1..30",
  cache = 50,
  vocab_size = 31,
  norm = { kind = "none" },
  logits = { kind = "linear", tied = true },
}
