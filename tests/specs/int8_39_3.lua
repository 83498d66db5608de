-- test: every_template, emulated, wide, cross
return {
  -- A layer of products of bytes: heads that fill no vector, all lengths, weights that are looked at.
  name = "int8_39_3",
  d_model = 39,
  n_heads = 3,
  seq_len = "1..40",
  dtype = "int8",
  outputs = { "attention" },
}
