return {
  -- One query over many keys, as in decoding.
  name = "one_query_32_4",
  d_model = 32,
  n_heads = 4,
  seq_len = 1,
  kv_seq_len = "1..200",
}
