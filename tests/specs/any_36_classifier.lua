-- test: programs
return {
  -- An encoder whose calls choose a dtype also for its classifier and for logits with a weight of their own; attention
  -- multiplies bytes, whatever they choose.
  kind = "encoder",
  name = "any_36_classifier",
  d_model = 36,
  n_heads = 3,
  n_layers = 1,
  d_ff = 44,
  seq_len = "1..24",
  vocab_size = 10,
  pool = { kind = "cls" },
  logits = { kind = "linear", size = 21, bias = true },
  classifier = { labels = 1, activation = "relu" },
  dtype = { default = "any", attention = "int8" },
}
