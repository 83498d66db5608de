-- The attention of one layer of Gemma-2-2B (Google, 2024, arXiv:2408.00118): scores capped by 50 tanh(score / 50),
-- a different scale, and in every second layer a window of 4096 keys.
return {
  name = "gemma2_layer",
  d_model = 2304,
  n_heads = 8,
  n_kv_heads = 4,
  d_head = 256,                -- wider than d_model / n_heads
  mask = { causal = true, window = 4096 },
  bias = false,
  scale = 0.0625,              -- 1 / sqrt(query_pre_attn_scalar), which is 256
  softcap = 50,
  rope = { layout = "half_split", theta = 10000 },
  weights = "llama",           -- Llama's names
  weights_prefix = "model.layers.0.",
}
