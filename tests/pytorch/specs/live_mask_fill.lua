-- Compared with live PyTorch: what masked_fill gives with a number that does not mask, under a mask, lengths and a
-- causal range, with an activation after each projection.
{
  name = "live_mask_fill",
  d_model = 48,
  n_heads = 4,
  seq_len = "1..45",
  mask = { tensor = "bool", causal = true },
  mask_fill = -1e-12,
  activation = { q = "gelu_tanh", k = "relu", v = "tanh", o = "gelu" },
  outputs = { "attention" },
}
