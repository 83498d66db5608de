-- test: every_template, wheels, lua, emulated
return {
  -- Token ids in place of rows, causal, weights written on request.
  name = "tokens_96_6",
  d_model = 96,
  n_heads = 6,
  seq_len = "1..50",
  vocab_size = 61,
  mask = { causal = true },
  outputs = { "attention" },
}
