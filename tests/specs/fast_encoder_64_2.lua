-- test: every_line, emulated
return {
  -- Pairs of rows in every linear of an encoder: sequences with pairs and without, with a last row alone, of several in
  -- a batch; blocks of rows that would end within a pair; rows that lie apart
  -- between linears.
  name = "fast_encoder_64_2",
  kind = "encoder",
  d_model = 64,
  n_heads = 2,
  n_layers = 2,
  d_ff = 512,
  seq_len = "1..70",
  vocab_size = 31,
  ffn = { activation = "gelu" },
  matmul = "fast",
}
