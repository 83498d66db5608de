-- test: bits, check
-- No layers: the first row through a linear alone.
return {
  kind = "encoder",
  name = "dense_cls_20",
  d_model = 20,
  n_layers = 0,
  seq_len = "1..20",
  pool = { kind = "cls" },
  dense = { sizes = 33 },
}
