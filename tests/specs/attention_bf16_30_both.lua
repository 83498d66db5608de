-- test: bits, check
return {
  -- Attention in bf16 with a window to both sides, two running sums of keys deep, a mask of numbers, and a key of
  -- zeros; heads that fill no vector.
  name = "attention_bf16_30_both",
  d_model = 30,
  n_heads = 2,
  seq_len = "1..140",
  kv_seq_len = "1..140",
  mask = { window = 50, window_sides = "both", tensor = "additive" },
  add_zero_attn = true,
  outputs = { "attention" },
  dtype = { attention = "bf16" },
}
