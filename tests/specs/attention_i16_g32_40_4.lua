return {
  -- Weights in groups beside attention in 16 bits, for which AVX2 has a variant of its own.
  name = "attention_i16_g32_40_4",
  d_model = 40,
  n_heads = 4,
  seq_len = "1..30",
  dtype = { attention = "i16" },
  weights_dtype = "int8",
}
