return {
  -- A layer at exactly 128 rows: every size divides, all loops are literal.
  name = "exact_192_3",
  d_model = 192,
  n_heads = 3,
  seq_len = 128,
}
