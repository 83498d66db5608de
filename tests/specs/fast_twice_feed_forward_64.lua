-- test: check, bits
return {
  -- Four rows together in a feed-forward alone, whose errors can be seen. Calls have several blocks of rows.
  kind = "encoder",
  name = "fast_twice_feed_forward_64",
  d_model = 64,
  d_ff = 128,
  n_layers = 1,
  seq_len = "101..300",
  layer = { attention = false, residual = false },
  norm = { kind = "none" },
  matmul = "fast:2",
}
