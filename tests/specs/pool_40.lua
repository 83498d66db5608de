-- test: programs
-- No layers and no weights: rows pooled.
return {
  kind = "encoder",
  name = "pool_40",
  d_model = 40,
  n_layers = 0,
  seq_len = "1..40",
  pool = { kind = "mean", normalize = true },
}
