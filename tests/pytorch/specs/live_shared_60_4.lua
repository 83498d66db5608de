-- Compared with live PyTorch: rows split into heads first, and one small linear for all of them, causal.
{
  name = "live_shared_60_4",
  d_model = 60,
  n_heads = 4,
  heads = "shared",
  seq_len = "1..50",
  mask = { causal = true },
  outputs = { "attention" },
}
