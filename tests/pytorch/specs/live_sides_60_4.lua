-- Compared with live PyTorch: rows of key and value of other widths than the query's, nn.MultiheadAttention's kdim and
-- vdim, and the key and value that it can learn.
{
  name = "live_sides_60_4",
  d_model = 60,
  n_heads = 4,
  k_dim = 33,
  v_dim = 20,
  add_bias_kv = true,
  seq_len = "1..50",
  outputs = { "attention" },
}
