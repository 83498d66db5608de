-- No layers, no norm, no weights: a residual alone.
return {
  kind = "encoder",
  name = "residual_37",
  d_model = 37,
  n_layers = 0,
  seq_len = "1..40",
  sublayer = true,
  norm = { kind = "none" },
}
