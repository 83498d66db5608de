return {
  -- A base-sized layer at exactly 128 rows: every size divides, all loops are literal.
  name = "exact_768_12",
  d_model = 768,
  n_heads = 12,
  seq_len = 128,
}
