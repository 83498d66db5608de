-- test: cross
return {
  -- Attention in bf16 of heads that are given, two running sums of keys deep, values narrower than keys, and a mask
  -- that may hide a value which is no number.
  name = "attention_bf16_3_40",
  kind = "sdpa",
  n_heads = 3,
  d_head = 40,
  d_v = 24,
  seq_len = "1..150",
  kv_seq_len = "1..150",
  mask = { tensor = "additive" },
  dtype = { attention = "bf16" },
}
