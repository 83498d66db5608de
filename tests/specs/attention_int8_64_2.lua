-- test: every_template, emulated
return {
  -- Attention of 8 bits by matrices of bytes, where a set has them: heads as deep as half a matrix, two running sums of
  -- keys, a causal mask, sequences of several lengths.
  name = "attention_int8_64_2",
  d_model = 64,
  n_heads = 2,
  seq_len = "1..300",
  mask = { causal = true, lengths = true },
  dtype = { attention = "int8" },
}
