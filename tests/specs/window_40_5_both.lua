return {
  -- A window of 20 keys to both sides, which leaves late queries over few keys with none.
  name = "window_40_5_both",
  d_model = 40,
  n_heads = 5,
  seq_len = "1..300",
  kv_seq_len = "1..200",
  mask = { window = 20, window_sides = "both" },
}
