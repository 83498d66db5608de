-- test: programs
return {
  -- A decoder that scores a pair of texts by the token that it would say next.
  kind = "encoder",
  name = "answers_36_3",
  d_model = 36,
  n_heads = 3,
  n_layers = 2,
  seq_len = "1..24",
  vocab_size = 12,
  mask = { causal = true },
  norm = { kind = "rms", place = "pre", final = true },
  rope = { layout = "half_split" },
  logits = { kind = "linear", tied = true },
  text_input = { answers = { 9, 7 }, pair = "wet {query} a {document} [SEP] day" },
}
