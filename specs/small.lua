-- A small causal layer: the example that docs/architecture.md follows from its spec to machine code.
return {
  name = "small",
  d_model = 64,
  n_heads = 4,
  seq_len = "1..32",
  mask = { causal = true },
}
