-- Compared with live PyTorch: attention alone of one head, its values narrower than its keys.
{
  name = "live_head_24",
  kind = "sdpa",
  n_heads = 1,
  d_head = 24,
  d_v = 16,
  seq_len = "1..60",
  outputs = { "attention" },
}
