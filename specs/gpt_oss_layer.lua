-- The attention of one layer of gpt-oss-20b (OpenAI, 2025): a sink for each head, a learned logit that takes a share of
-- softmax and belongs to no value; in every second layer a window of 128 keys. It scales rotary positions by YaRN,
-- which is left out here (rope.scaling).
return {
  name = "gpt_oss_layer",
  d_model = 2880,
  n_heads = 64,
  n_kv_heads = 8,
  d_head = 64,                 -- heads side by side are 4096 wide
  mask = { causal = true, window = 128 },
  sinks = true,
  rope = { layout = "half_split", theta = 150000 },
  weights = "llama",
  weights_prefix = "model.layers.0.",
}
