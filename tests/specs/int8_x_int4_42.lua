-- test: every_line, emulated
return {
  -- A whole model of rows of 8 bits by weights of 4, but for what the feed-forward's second linear reads; its tied
  -- logits' too.
  kind = "decoder",
  name = "int8_x_int4_42",
  d_model = 42,
  n_heads = 3,
  n_layers = 2,
  d_ff = 134,
  seq_len = "1..30",
  vocab_size = 51,
  norm = { kind = "layer", place = "post" },
  ffn = { activation = "gelu" },
  logits = { kind = "linear", tied = true },
  cache = 60,
  dtype = { default = "int8", down = "f32" },
  weights_dtype = "int4",
}
