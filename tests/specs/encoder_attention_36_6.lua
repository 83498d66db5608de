-- test: bits
-- An encoder that gives the attention of each of its three layers: two key heads for six of queries, rotary positions,
-- a window to both sides, and logits, for which the last layer may keep one row a sequence.
return {
  kind = "encoder",
  name = "encoder_attention_36_6",
  d_model = 36,
  n_heads = 6,
  n_kv_heads = 2,
  d_ff = 40,
  n_layers = 3,
  seq_len = "1..40",
  rope = { layout = "half_split" },
  mask = { window = 9, window_sides = "both" },
  norm = { place = "pre", final = true },
  logits = { kind = "linear", size = 7 },
  outputs = { "attention" },
}
