-- vit: a whole ViTModel of Hugging Face's transformers after its patches, which the caller projects.
-- ViTForImageClassification's file has them after vit. and logits of its own name.
local with_biases = require "import.maps.with_biases"

return with_biases({
  positions = "embeddings.position_embeddings",
  layer = "encoder.layer.%d.",
}, {
  q = "attention.attention.query",
  k = "attention.attention.key",
  v = "attention.attention.value",
  o = "attention.output.dense",
  attention_norm = "layernorm_before",
  up = "intermediate.dense",
  down = "output.dense",
  ffn_norm = "layernorm_after",
  final_norm = "layernorm",
  logits = "classifier",
})
