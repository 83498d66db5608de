-- Compared with live PyTorch: attention alone of one head, its values narrower than its keys, with a
-- scale of its own and a mask that is added.
{
  name = "live_head_24",
  kind = "sdpa",
  n_heads = 1,
  d_head = 24,
  d_v = 16,
  scale = 0.3,
  mask = { tensor = "additive" },
  seq_len = "1..60",
  outputs = { "attention" },
}
