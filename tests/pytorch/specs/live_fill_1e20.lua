-- Compared with live PyTorch: masked_fill with -1e20, of scores that come from heads as they are given.
{
  name = "live_fill_1e20",
  kind = "sdpa",
  n_heads = 2,
  d_head = 16,
  seq_len = "1..45",
  mask = { tensor = "bool" },
  mask_fill = -1e20,
  outputs = { "attention", "scores" },
}
