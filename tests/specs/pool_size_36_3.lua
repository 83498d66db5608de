-- test: every_line
return {
  -- An embedding of the first numbers of the pooled row, over the length of these.
  kind = "encoder",
  name = "pool_size_36_3",
  d_model = 36,
  n_heads = 3,
  n_layers = 1,
  seq_len = "1..30",
  vocab_size = 23,
  norm = { place = "post" },
  pool = { kind = "mean", size = 13, normalize = true },
}
