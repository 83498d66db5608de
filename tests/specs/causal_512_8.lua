return {
  -- A causal layer of the size users start from.
  name = "causal_512_8",
  d_model = 512,
  n_heads = 8,
  seq_len = "1..130",
  mask = { causal = "top_left" },
}
