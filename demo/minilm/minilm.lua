-- all-MiniLM-L6-v2, a sentence encoder: a BERT of six layers, its rows' mean over its length.
return {
  kind = "encoder",
  name = "minilm",
  d_model = 384,
  n_heads = 12,
  d_ff = 1536,
  n_layers = 6,
  seq_len = "1..512",
  vocab_size = 30522,
  positions = { kind = "learned" },
  token_types = 2,
  embedding = { norm = true },
  norm = { eps = 1e-12 },
  ffn = { activation = "gelu" },
  pool = { kind = "mean", normalize = true },
  weights = "bert",
}
