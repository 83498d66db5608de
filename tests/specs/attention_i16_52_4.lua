return {
  -- Attention alone of 16 bits, two running sums of keys deep, of floats' linears: heads that fill no vector and
  -- share keys, a causal mask, sequences of several lengths.
  name = "attention_i16_52_4",
  d_model = 52,
  n_heads = 4,
  d_head = 13,
  n_kv_heads = 2,
  seq_len = "1..300",
  mask = { causal = true, lengths = true },
  dtype = { attention = "i16" },
}
