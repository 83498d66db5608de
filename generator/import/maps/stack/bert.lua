-- bert: a whole BertModel of Hugging Face's transformers, and sentence encoders made from one (MiniLM). The names of
-- RobertaModel are the same. Its pooler is part of the model only where a classifier follows. BertForMaskedLM's file
-- has them after bert., with a transform and a bias; those of BertForTokenClassification and
-- BertForSequenceClassification too, with a linear.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "embeddings.word_embeddings.weight",
  positions = "embeddings.position_embeddings.weight",
  token_types = "embeddings.token_type_embeddings.weight",
  layer = "encoder.layer.%d.",
  transformed = {
    logits_weight = "cls.predictions.decoder.weight",
    logits_bias = "cls.predictions.decoder.bias",
    tied_bias = "cls.predictions.bias",
  },
  inside = { classifier_dense_weight = true, classifier_dense_bias = true },
}, {
  embedding_norm = "embeddings.LayerNorm",
  q = "attention.self.query",
  k = "attention.self.key",
  v = "attention.self.value",
  o = "attention.output.dense",
  attention_norm = "attention.output.LayerNorm",
  up = "intermediate.dense",
  down = "output.dense",
  ffn_norm = "output.LayerNorm",
  logits = "classifier",
  logits_dense = "cls.predictions.transform.dense",
  logits_norm = "cls.predictions.transform.LayerNorm",
  classifier_dense = "pooler.dense",
  classifier = "classifier",
})
