-- test: every_line
return {
  -- No layers: tied logits of int8, from whose panels rows of tokens are read, in two running sums.
  kind = "encoder",
  name = "tied_int8_300",
  d_model = 300,
  n_layers = 0,
  seq_len = "1..40",
  vocab_size = 70,
  pool = { kind = "mean" },
  logits = { kind = "linear", tied = true },
  dtype = { logits = "int8", embedding = "int8" },
}
