-- test: bits
-- No layers: the linear after them, of a row with a norm after it or of all.
return {
  kind = "encoder",
  name = "logits_33",
  d_model = 33,
  n_layers = 0,
  seq_len = "1..40",
  norm = { final = true, eps = 1e-12 },
  pool = { kind = "cls" },
  logits = { kind = "log_softmax", size = 51, bias = true },
}
