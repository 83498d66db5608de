-- test: bits, programs
-- No layers: the mean of the rows of a sequence's tokens through a classifier of several labels whose activation is
-- gelu, beside logits of each row.
return {
  kind = "encoder",
  name = "classifier_29",
  d_model = 29,
  n_layers = 0,
  seq_len = "1..40",
  vocab_size = 30,
  pool = { kind = "mean", normalize = true },
  logits = { kind = "linear", size = 5 },
  classifier = { labels = 19, activation = "gelu" },
}
