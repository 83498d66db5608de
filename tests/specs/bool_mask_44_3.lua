-- test: every_line, both_luas, wheels, wide, memory, valgrind, cross
return {
  -- A mask of bytes with each call, and a finite number for what it, the causal range or a length masks: near the
  -- scores, so that masked keys have weight. A learned key and one of zeros stand after them; of attention the mean.
  name = "bool_mask_44_3",
  d_model = 44,
  n_heads = 3,
  d_head = 20,
  seq_len = "1..60",
  mask = { tensor = "bool", causal = "bottom_right" },
  mask_fill = -2.5,
  add_bias_kv = true,
  add_zero_attn = true,
  outputs = { "attention", "attention_mean" },
}
