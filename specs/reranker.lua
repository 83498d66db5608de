-- ms-marco-MiniLM-L6-v2 (sentence-transformers; Wang et al., 2020, arXiv:2002.10957): a cross-encoder, a BERT of six
-- layers that reads a query and a document together, with one number for how well they fit; `rank` sorts by it.
return {
  kind = "encoder",
  name = "reranker",
  d_model = 384,
  n_heads = 12,
  d_ff = 1536,
  n_layers = 6,
  seq_len = "1..512",
  vocab_size = 30522,
  token_types = 2,
  positions = { kind = "learned" },
  embedding = { norm = true },
  norm = { eps = 1e-12 },
  ffn = { activation = "gelu" },
  pool = { kind = "cls" },
  classifier = { labels = 1, scores = "none" },
  weights = "bert",
  weights_prefix = "bert.",
}
