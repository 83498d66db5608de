-- test: bits
-- A whole model of rows of a single number, and a feed-forward no wider. Such a row's norm is its sign; eps makes it a
-- number that rounding changes little.
return {
  kind = "encoder",
  name = "encoder_1_1",
  d_model = 1,
  n_heads = 1,
  d_ff = 1,
  n_layers = 2,
  seq_len = "1..40",
  vocab_size = 3,
  norm = { kind = "rms", place = "pre", eps = 0.1 },
  ffn = { activation = "silu", gated = true },
  logits = { kind = "linear", size = 1 },
}
