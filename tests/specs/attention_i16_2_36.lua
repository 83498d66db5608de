-- test: bits
return {
  -- Attention in 16 bits of heads that are given, two running sums of keys deep, and a mask that may hide a value
  -- which is no number, so that its scale must not count.
  name = "attention_i16_2_36",
  kind = "sdpa",
  n_heads = 2,
  d_head = 36,
  seq_len = "1..300",
  kv_seq_len = "1..300",
  mask = { tensor = "additive" },
  dtype = { attention = "i16" },
}
