-- Compared with live PyTorch: masked_fill with -1e4, and an activation after each projection.
{
  name = "live_fill_1e4",
  d_model = 32,
  n_heads = 2,
  seq_len = "1..45",
  mask = { tensor = "bool" },
  mask_fill = -1e4,
  activation = { q = "silu", k = "gelu_tanh", v = "relu", o = "tanh" },
  outputs = { "attention", "scores" },
}
