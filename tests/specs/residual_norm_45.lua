-- test: every_line, programs
-- No layers: a residual and its LayerNorm, of an odd width.
return {
  kind = "encoder",
  name = "residual_norm_45",
  d_model = 45,
  n_layers = 0,
  seq_len = "1..40",
  sublayer = true,
  norm = { eps = 1e-12, final = true },
}
