-- test: check, bits
return {
  -- Pairs of rows in a feed-forward alone, whose errors can be seen. Calls have several blocks of rows, which end
  -- next to the rows of a pair.
  kind = "encoder",
  name = "fast_feed_forward_32",
  d_model = 32,
  d_ff = 64,
  n_layers = 1,
  seq_len = "101..300",
  layer = { attention = false, residual = false },
  norm = { kind = "none" },
  matmul = "fast",
}
