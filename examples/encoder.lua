-- A small sentence encoder (embed.c): token ids in, one vector a sequence out.
return {
  kind = "encoder",
  name = "encoder",
  d_model = 64,
  n_heads = 4,
  d_ff = 128,
  n_layers = 2,
  seq_len = "1..32",
  vocab_size = 100,
  positions = { kind = "learned" },
  pool = { kind = "mean", normalize = true },
  weights = "roles",
}
