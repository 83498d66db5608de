-- An encoder after the paper, whose first row stands for a sequence: sines and cosines as positions, rows times
-- sqrt(d_model), norms after residuals and one more, logarithms of probabilities by a weight of their own. Its
-- feed-forward is so wide that rows pass by slices of it.
return {
  kind = "encoder",
  name = "sinusoidal_64_4",
  d_model = 64,
  n_heads = 4,
  d_ff = 2320,
  n_layers = 2,
  seq_len = "1..40",
  vocab_size = 33,
  positions = { kind = "sinusoidal" },
  embedding = { scale = true },
  norm = { final = true },
  pool = { kind = "cls" },
  logits = { kind = "log_softmax", size = 29, bias = true },
}
