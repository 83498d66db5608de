-- Compared with live PyTorch: rows split into heads first, and one small linear for all of them with an activation
-- after it, causal by masked_fill with -1e9; every intermediate.
{
  name = "live_shared_60_4",
  d_model = 60,
  n_heads = 4,
  heads = "shared",
  seq_len = "1..50",
  mask = { causal = true },
  mask_fill = -1e9,
  activation = { q = "gelu", k = "silu", v = "gelu_tanh", o = "relu" },
  outputs = {
    "attention", "q_proj", "k_proj", "v_proj", "q_heads", "k_heads", "v_heads", "scores", "x_heads", "x_concat",
  },
}
