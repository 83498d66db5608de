-- Compared with live PyTorch: a mask of bytes at run time, -inf where it masks.
{
  name = "live_mask_bool",
  d_model = 48,
  n_heads = 4,
  seq_len = "1..45",
  mask = { tensor = "bool" },
  outputs = { "attention" },
}
