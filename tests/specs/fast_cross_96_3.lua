-- test: check, bits
return {
  -- Pairs of rows in q and v alone: inputs of k and columns of the output cannot be halved. More keys than a block of
  -- pairs has.
  name = "fast_cross_96_3",
  d_model = 96,
  n_heads = 3,
  n_kv_heads = 1,
  k_dim = 40,
  v_dim = 160,
  d_out = 80,
  seq_len = "1..48",
  kv_seq_len = "1..140",
  matmul = "fast",
}
