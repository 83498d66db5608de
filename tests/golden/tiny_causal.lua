-- Golden: a causal model whose sizes are whole vectors; the tiles on the diagonal are what is to be seen.
return {
  name = "tiny_causal",
  d_model = 24,
  n_heads = 1,
  seq_len = "1..16",
  unroll = 1,
  mask = { causal = true },
}
