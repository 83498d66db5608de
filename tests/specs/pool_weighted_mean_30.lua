-- test: every_line
-- A causal encoder of sentences whose later rows count more.
return {
  kind = "encoder",
  name = "pool_weighted_mean_30",
  d_model = 30,
  n_heads = 5,
  d_ff = 33,
  n_layers = 1,
  seq_len = "1..60",
  vocab_size = 40,
  mask = { causal = true },
  positions = { kind = "learned" },
  norm = { place = "pre" },
  ffn = { activation = "gelu_tanh" },
  pool = { kind = "weighted_mean" },
}
