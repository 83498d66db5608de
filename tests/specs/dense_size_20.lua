-- test: bits
-- No layers: the first numbers of the last of two linears after pooling.
return {
  kind = "encoder",
  name = "dense_size_20",
  d_model = 20,
  n_layers = 0,
  seq_len = "1..20",
  pool = { kind = "mean", size = 7, normalize = true },
  dense = { sizes = { 33, 12 }, activation = { "tanh", "none" } },
}
