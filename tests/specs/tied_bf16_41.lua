-- test: bits
return {
  -- Tied logits of bf16, from whose panels rows of tokens are read; d_model is odd.
  kind = "encoder",
  name = "tied_bf16_41",
  d_model = 41,
  n_layers = 0,
  seq_len = "1..40",
  vocab_size = 53,
  logits = { kind = "linear", tied = true },
  dtype = { logits = "bf16", embedding = "bf16" },
}
