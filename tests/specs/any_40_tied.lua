-- test: programs
return {
  -- A causal encoder that gives logits of the next token by its embedding's weight, after a transform; calls choose
  -- dtypes.
  kind = "encoder",
  name = "any_40_tied",
  d_model = 40,
  n_heads = 2,
  n_layers = 1,
  d_ff = 52,
  seq_len = "1..24",
  mask = { causal = true },
  vocab_size = 45,
  norm = { place = "pre", final = true },
  logits = { kind = "linear", tied = true, transform = "gelu" },
  dtype = "any",
}
