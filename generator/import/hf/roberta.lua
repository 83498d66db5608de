-- hf/roberta.lua: RobertaModel: BERT but for its positions, whose rows begin after that of the padding's token.
local common = require "import.hf.common"

return {
  maps = { "bert", "roberta", "roberta_one_bias" },
  prefixes = { "", "roberta." },
  fields = {
    { "hidden_size", "d_model" },
    { "num_attention_heads", "n_heads" },
    { "num_hidden_layers", "n_layers" },
    { "intermediate_size", "d_ff" },
    { "hidden_act", "ffn.activation", by = "activation", default = "gelu" },
    { "layer_norm_eps", "norm.eps", default = 1e-12 },
    { "vocab_size", "vocab_size" },
    { "type_vocab_size", "token_types", default = 2 },
    { "pad_token_id", "positions.padding", by = "before_first", default = 1 },
    { "pad_token_id", "positions.first", by = "after", default = 1 },
    { "max_position_embeddings", "positions.rows" },
    { "max_position_embeddings", "seq_len", by = "up_to_less", less = "positions.first" },
  },
  fixed = {
    { "kind", "encoder" }, { "positions.kind", "learned" }, { "embedding.norm", true }, { "norm.kind", "layer" },
    { "norm.place", "post" },
  },
  requires = {
    { "position_embedding_type", "absolute", "positions are added to rows, not to scores" },
    { "is_decoder", false, "its mask would be causal" },
  },
  ignores = {
    { "dropout is for training", "hidden_dropout_prob attention_probs_dropout_prob" },
  },
  base = "RobertaModel",
  architectures = {
    RobertaModel = {},
    RobertaForMaskedLM = {
      fixed = { common.words_fixed[1], common.words_fixed[2], { "logits.transform", "gelu" } },
      fields = common.words_fields,
    },
    RobertaForSequenceClassification = {
      fixed = { { "pool.kind", "cls" }, { "classifier.activation", "tanh" } },
      fields = common.classifier_fields,
    },
    RobertaForTokenClassification = {
      fixed = { { "logits.kind", "linear" }, { "logits.bias", true } },
      fields = { { "id2label", "logits.size", by = "labels", default = 2 } },
    },
  },
  unread = {
    { "the pooler (a linear and tanh over the first row) is not part of the stack", "pooler" },
    { "numbers 0, 1, 2 ..., which are not learned", "embeddings.position_ids" },
    { "the embedding and its bias once more", "lm_head.decoder", where = { "logits.tied", true } },
    { "the bias of tied logits", "lm_head.bias", where = { "logits.tied", false } },
    { "heads that are not made", "lm_head classifier" },
  },
}
