-- gte: a whole NewModel of Alibaba-NLP (gte-multilingual-base), whose code comes with its folders: q, k and v in one
-- weight, up and gate of the feed-forward in another, up first.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "embeddings.word_embeddings.weight",
  token_types = "embeddings.token_type_embeddings.weight",
  layer = "encoder.layer.%d.",
  inside = { classifier_dense_weight = true, classifier_dense_bias = true },
  only_with = { "layers.0.gate_weight" },
}, {
  embedding_norm = "embeddings.LayerNorm",
  qkv = "attention.qkv_proj",
  o = "attention.o_proj",
  attention_norm = "attn_ln",
  up_gate = "mlp.up_gate_proj",
  down = "mlp.down_proj",
  ffn_norm = "mlp_ln",
  classifier_dense = "pooler.dense",
  classifier = "classifier",
})
