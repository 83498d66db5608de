-- test: every_line
return {
  -- A finite number for what a window masks; late queries over few keys see none, and give it to every key.
  name = "mask_fill_24_2",
  d_model = 24,
  n_heads = 2,
  seq_len = "1..90",
  kv_seq_len = "1..60",
  mask = { window = 5, window_sides = "both" },
  mask_fill = -2.5,
  outputs = { "attention" },
}
