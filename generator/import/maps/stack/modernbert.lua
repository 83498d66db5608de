-- modernbert: a whole ModernBertModel of Hugging Face's transformers, with the heads of ModernBertForMaskedLM and
-- ModernBertForSequenceClassification: a dense linear, an activation and a norm, then a linear.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "embeddings.tok_embeddings.weight",
  layer = "layers.%d.",
  transformed = {
    logits_weight = "decoder.weight",
    logits_bias = "decoder.bias",
    tied_bias = "decoder.bias",
  },
}, {
  embedding_norm = "embeddings.norm",
  qkv = "attn.Wqkv",
  o = "attn.Wo",
  attention_norm = "attn_norm",
  gate_up = "mlp.Wi",
  down = "mlp.Wo",
  ffn_norm = "mlp_norm",
  final_norm = "final_norm",
  logits_dense = "head.dense",
  logits_norm = "head.norm",
  logits = "decoder",
  classifier_dense = "head.dense",
  classifier_norm = "head.norm",
  classifier = "classifier",
})
