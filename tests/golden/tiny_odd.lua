-- Golden: sizes that no vector divides, so that output rows end in partial stores; cross-attention without lengths.
return {
  name = "tiny_odd",
  d_model = 45,
  n_heads = 3,
  seq_len = 5,
  kv_seq_len = "1..20",
  unroll = 1,
  bias = { q = true, k = false, v = true, o = true },
  mask = { lengths = false },
}
