-- test: bits
return {
  -- One layer whose table of token rows is kept as bf16, beside linears of floats.
  name = "embedding_bf16_50_5",
  d_model = 50,
  n_heads = 5,
  seq_len = "1..40",
  vocab_size = 41,
  dtype = { embedding = "bf16" },
}
