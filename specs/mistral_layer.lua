-- The attention of one layer of Mistral-7B (Jiang et al., 2023, arXiv:2310.06825): each query sees the last 4096 keys.
return {
  name = "mistral_layer",
  d_model = 4096,
  n_heads = 32,
  n_kv_heads = 8,
  seq_len = "1..8192",
  mask = { causal = true, window = 4096 },
  bias = false,
  rope = { layout = "half_split", theta = 10000 },
  weights = "llama",
  weights_prefix = "model.layers.0.",
}
