-- The attention of one layer of Llama-3.2-1B (Meta, 2024): grouped queries (Ainslie et al., 2023, arXiv:2305.13245),
-- rotary positions (Su et al., 2021, arXiv:2104.09864), no biases, a cache for decoding. The rotary positions are the
-- plain ones: the scaling of Llama 3.1 and later for long texts is left out (rope.scaling).
return {
  name = "llama_layer",
  d_model = 2048,
  n_heads = 32,
  n_kv_heads = 8,              -- four query heads share each key head
  cache = 2048,                -- causal = "bottom_right" is the default with one
  bias = false,
  rope = { layout = "half_split", theta = 500000 },
  weights = "llama",
  weights_prefix = "model.layers.0.",
}
