-- No layers: a norm of rows, and nothing else.
return {
  kind = "encoder",
  name = "norm_45",
  d_model = 45,
  n_layers = 0,
  seq_len = "1..40",
  norm = { kind = "rms", final = true },
}
