-- distilbert: a whole DistilBertModel of Hugging Face's transformers.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "embeddings.word_embeddings.weight",
  positions = "embeddings.position_embeddings.weight",
  layer = "transformer.layer.%d.",
  transformed = { logits_weight = "vocab_projector.weight", logits_bias = "vocab_projector.bias" },
}, {
  embedding_norm = "embeddings.LayerNorm",
  q = "attention.q_lin",
  k = "attention.k_lin",
  v = "attention.v_lin",
  o = "attention.out_lin",
  attention_norm = "sa_layer_norm",
  up = "ffn.lin1",
  down = "ffn.lin2",
  ffn_norm = "output_layer_norm",
  logits = "classifier",
  logits_dense = "vocab_transform",
  logits_norm = "vocab_layer_norm",
  classifier_dense = "pre_classifier",
  classifier = "classifier",
})
