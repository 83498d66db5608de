-- An encoder over tokens with types, which pools and has logits; weights under BERT's names.
return {
  kind = "encoder",
  name = "fuzz_stack",
  d_model = 4,
  n_heads = 2,
  d_ff = 6,
  n_layers = 1,
  seq_len = "1..6",
  vocab_size = 7,
  token_types = 2,
  positions = { kind = "learned", rows = 8 },
  embedding = { norm = true },
  pool = { kind = "mean", normalize = true },
  logits = { kind = "linear", tied = true },
}
