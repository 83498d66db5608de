-- The attention of one layer of Qwen3-0.6B (Qwen team, 2025, arXiv:2505.09388): an RMSNorm over each head of q and k
-- before rotary positions.
return {
  name = "qwen3_layer",
  d_model = 1024,
  n_heads = 16,
  n_kv_heads = 8,
  d_head = 128,
  cache = 4096,
  bias = false,
  qk_norm = { kind = "rms", eps = 1e-6 },
  rope = { layout = "half_split", theta = 1000000 },
  weights = "qwen3",
  weights_prefix = "model.layers.0.",
}
