return {
  -- Twenty queries over up to 197 keys of another sequence.
  name = "cross_384_12",
  d_model = 384,
  n_heads = 12,
  seq_len = 20,
  kv_seq_len = "1..197",
  outputs = { "attention" },
}
