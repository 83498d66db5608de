return {
  -- The other version: of the same inputs and weights it makes other outputs.
  name = "twin",
  d_model = 24,
  n_heads = 2,
  seq_len = "1..40",
  mask = { causal = true },
}
