-- test: every_line, programs, wheels, lua, numbers, shared
-- An encoder as BERT is built: norms after residuals and embeddings, learned positions, types of tokens, pooled; and a
-- mask added to the scores of every layer.
return {
  kind = "encoder",
  name = "bert_48_4",
  d_model = 48,
  n_heads = 4,
  d_ff = 80,
  n_layers = 2,
  seq_len = "1..70",
  mask = { tensor = "additive" },
  vocab_size = 50,
  positions = { kind = "learned", rows = 72, first = 2 },
  token_types = 2,
  embedding = { norm = true },
  ffn = { activation = "gelu" },
  pool = { kind = "mean", normalize = true },
  outputs = { "attention" },
}
