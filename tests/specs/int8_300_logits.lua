-- test: every_template
-- No layers: logits and a classifier of products of integers, of tokens' rows as they are.
return {
  kind = "encoder",
  name = "int8_300_logits",
  d_model = 300,
  n_layers = 0,
  seq_len = "1..40",
  vocab_size = 70,
  pool = { kind = "cls" },
  logits = { kind = "linear", tied = true, bias = true },
  classifier = { labels = 19, activation = "relu" },
  dtype = { default = "int8", classifier = "i16" },
}
