-- A transformer whose target keeps a cache.
return {
  kind = "transformer",
  name = "fuzz_both",
  d_model = 4,
  n_heads = 2,
  d_ff = 6,
  n_layers = 1,
  n_decoder_layers = 1,
  seq_len = "1..6",
  kv_seq_len = "1..5",
  vocab_size = 7,
  src_vocab_size = 6,
  cache = 9,
  positions = { kind = "sinusoidal" },
  logits = { kind = "linear", tied = true },
}
