-- Compared with transformers' Qwen3Attention: RMSNorm over each head of q and k, then positions; wide heads.
{
  name = "live_qwen3",
  d_model = 48,
  n_heads = 4,
  n_kv_heads = 1,
  d_head = 32,
  seq_len = "1..40",
  mask = { causal = true },
  bias = false,
  scale = 0.25,
  qk_norm = { kind = "rms", eps = 1e-5 },
  rope = { layout = "half_split", theta = 1e6, positions = 100 },
  outputs = { "attention" },
  weights = "qwen3",
}
