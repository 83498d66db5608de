-- test: every_line, programs
-- A cross-encoder as BertForSequenceClassification is built: the first row through a dense linear, tanh and one label;
-- RoBERTa's places, which its padding's token does not take; and logits of masked words, as BertForMaskedLM has them.
return {
  kind = "encoder",
  name = "classifier_40_4",
  d_model = 40,
  n_heads = 4,
  d_ff = 72,
  n_layers = 1,
  seq_len = "1..40",
  vocab_size = 30,
  positions = { kind = "learned", first = 4, padding = 2 },
  token_types = 2,
  embedding = { norm = true },
  ffn = { activation = "gelu" },
  pool = { kind = "cls" },
  classifier = { labels = 1 },
  logits = { kind = "linear", tied = true, bias = true, transform = "gelu" },
}
