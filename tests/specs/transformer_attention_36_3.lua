-- test: programs
-- A transformer that gives the attention of each layer: of its encoder and its decoder over their own rows, and of the
-- decoder over the source; one key head for three of queries, tokens on both sides, and logits.
return {
  kind = "transformer",
  name = "transformer_attention_36_3",
  d_model = 36,
  n_heads = 3,
  n_kv_heads = 1,
  d_ff = 40,
  n_layers = 3,
  n_decoder_layers = 2,
  vocab_size = 11,
  src_vocab_size = 13,
  seq_len = "1..40",
  kv_seq_len = "1..50",
  norm = { place = "pre", final = true },
  logits = { kind = "linear" },
  outputs = { "attention", "cross_attention" },
}
