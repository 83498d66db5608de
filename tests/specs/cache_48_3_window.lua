-- test: every_line, both_luas, memory, valgrind, cross
return {
  -- A cache after which a window slides, all query heads on one key head, token ids, an activation, places and sinks.
  name = "cache_48_3_window",
  d_model = 48,
  n_heads = 3,
  n_kv_heads = 1,
  seq_len = "1..60",
  mask = { window = 20 },
  cache = 160,
  activation = { k = "silu" },
  alibi = true,
  sinks = true,
  vocab_size = 37,
}
