-- hf/distilbert.lua: DistilBertModel: half of a BERT's layers, no types of tokens, no pooler.
local common = require "import.hf.common"

return {
  maps = { "distilbert" },
  prefixes = { "", "distilbert." },
  fields = {
    { "dim", "d_model" },
    { "n_heads", "n_heads" },
    { "n_layers", "n_layers" },
    { "hidden_dim", "d_ff" },
    { "activation", "ffn.activation", by = "activation", default = "gelu" },
    { "vocab_size", "vocab_size" },
    { "max_position_embeddings", "positions.rows" },
    { "max_position_embeddings", "seq_len", by = "up_to" },
  },
  fixed = {
    { "kind", "encoder" }, { "positions.kind", "learned" }, { "embedding.norm", true }, { "norm.kind", "layer" },
    { "norm.place", "post" }, { "norm.eps", 1e-12 },
  },
  requires = {},
  ignores = {
    { "dropout is for training", "dropout attention_dropout qa_dropout seq_classif_dropout" },
    { "what positions were before training", "sinusoidal_pos_embds" },
    { "how it was trained", "tie_weights_" },
  },
  base = "DistilBertModel",
  architectures = {
    DistilBertModel = {},
    DistilBertForMaskedLM = {
      fixed = common.words_fixed,
      fields = { common.words_fields[1], { "activation", "logits.transform", by = "activation", default = "gelu" } },
    },
    DistilBertForSequenceClassification = {
      fixed = { { "pool.kind", "cls" }, { "classifier.activation", "relu" } },
      fields = common.classifier_fields,
    },
    DistilBertForTokenClassification = {
      fixed = { { "logits.kind", "linear" }, { "logits.bias", true } },
      fields = { { "id2label", "logits.size", by = "labels", default = 2 } },
    },
  },
  unread = {
    { "numbers 0, 1, 2 ..., which are not learned", "embeddings.position_ids" },
    { "the embedding once more", "vocab_projector.weight", where = { "logits.tied", true } },
    { "heads that are not made", "vocab_transform vocab_layer_norm vocab_projector pre_classifier classifier" },
  },
}
