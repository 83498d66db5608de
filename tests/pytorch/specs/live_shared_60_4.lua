-- Compared with live PyTorch: rows split into heads first, and one small linear for all of them, causal; every
-- intermediate.
{
  name = "live_shared_60_4",
  d_model = 60,
  n_heads = 4,
  heads = "shared",
  seq_len = "1..50",
  mask = { causal = true },
  outputs = {
    "attention", "q_proj", "k_proj", "v_proj", "q_heads", "k_heads", "v_heads", "scores", "x_heads", "x_concat",
  },
}
