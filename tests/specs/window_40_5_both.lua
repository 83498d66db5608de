-- test: every_line
return {
  -- A window of 20 keys to both sides, which leaves late queries over few keys with none; scores that a cap of 1.5
  -- bends, and a bias for buckets of distances.
  name = "window_40_5_both",
  d_model = 40,
  n_heads = 5,
  seq_len = "1..300",
  kv_seq_len = "1..200",
  mask = { window = 20, window_sides = "both" },
  softcap = 1.5,
  relative_bias = { num_buckets = 12, max_distance = 18 },
}
