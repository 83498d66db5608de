-- test: bits, check, programs
return {
  -- Late interaction: a vector of length one for each token, markers, and queries filled with tokens that none sees.
  kind = "encoder",
  name = "colbert_40_4",
  d_model = 40,
  n_heads = 4,
  n_layers = 2,
  seq_len = "1..24",
  vocab_size = 12,
  norm = { place = "post" },
  mask = { tensor = "bool" },
  logits = { kind = "unit", size = 21 },
  text_input = {
    query_marker = 10, document_marker = 11, query_length = 9, document_length = 12, expansion = 0,
    expansion_length = 9, unscored = 3,
  },
}
