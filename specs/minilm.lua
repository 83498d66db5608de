-- all-MiniLM-L6-v2 (sentence-transformers; Wang et al., 2020, arXiv:2002.10957): a BERT of six layers; the normalized
-- mean over the tokens is the vector of a sentence. `ninja demo-minilm` builds it with its weights.
return {
  kind = "encoder",
  name = "minilm",
  d_model = 384,
  n_heads = 12,
  d_ff = 1536,
  n_layers = 6,
  seq_len = "1..256",
  vocab_size = 30522,
  token_types = 2,
  positions = { kind = "learned", rows = 512 },
  embedding = { norm = true },
  norm = { eps = 1e-12 },
  ffn = { activation = "gelu" },
  pool = { kind = "mean", normalize = true },
  weights = "bert",
}
