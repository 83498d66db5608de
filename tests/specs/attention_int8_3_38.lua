-- test: bits
return {
  -- Attention of 8 bits of heads that are given, two running sums of keys deep, values narrower than keys, and a mask
  -- that may hide a value which is no number, so that its scale must not count.
  name = "attention_int8_3_38",
  kind = "sdpa",
  n_heads = 3,
  d_head = 38,
  d_v = 21,
  seq_len = "1..300",
  kv_seq_len = "1..300",
  mask = { tensor = "additive" },
  dtype = { attention = "int8" },
}
