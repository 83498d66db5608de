-- test: every_line, wheels, lua
return {
  -- Numbers added to the scores in a window; rows without a key average over all. The heads' mean too.
  name = "additive_mask_40_4",
  d_model = 40,
  n_heads = 4,
  n_kv_heads = 2,
  seq_len = "1..90",
  mask = { tensor = "additive", causal = "bottom_right", window = 21 },
  masked_row = "uniform",
  outputs = { "attention", "attention_mean" },
}
