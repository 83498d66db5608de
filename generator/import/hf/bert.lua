-- hf/bert.lua: BertModel and sentence encoders made from one (MiniLM, BGE, E5, GTE): norms after residuals and
-- embeddings, learned positions, types of tokens.
local common = require "import.hf.common"

local words = {
  fixed = common.words_fixed,
  fields = { common.words_fields[1], { "hidden_act", "logits.transform", by = "activation", default = "gelu" } },
}

return {
  maps = { "bert", "bert_gamma", "bert_one_bias", "bert_colbert" },
  prefixes = { "", "bert." },
  fields = {
    { "hidden_size", "d_model" },
    { "num_attention_heads", "n_heads" },
    { "num_hidden_layers", "n_layers" },
    { "intermediate_size", "d_ff" },
    { "hidden_act", "ffn.activation", by = "activation", default = "gelu" },
    { "layer_norm_eps", "norm.eps", default = 1e-12 },
    { "vocab_size", "vocab_size" },
    { "type_vocab_size", "token_types", default = 2 },
    { "max_position_embeddings", "positions.rows" },
    { "max_position_embeddings", "seq_len", by = "up_to" },
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
    { "the pooler's", [[directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers
      pooler_size_per_head pooler_type]] },
  },
  base = "BertModel",
  architectures = {
    BertModel = {},
    BertForMaskedLM = words,
    BertForPreTraining = { fixed = words.fixed, fields = words.fields,
      without = "its head for next sentences (cls.seq_relationship)" },
    BertForSequenceClassification = {
      fixed = { { "pool.kind", "cls" }, { "classifier.activation", "tanh" } },
      fields = common.classifier_fields,
    },
    HF_ColBERT = { fixed = { { "logits.kind", "unit" } } },
    BertForTokenClassification = {
      fixed = { { "logits.kind", "linear" }, { "logits.bias", true } },
      fields = { { "id2label", "logits.size", by = "labels", default = 2 } },
    },
  },
  unread = {
    { "the pooler (a linear and tanh over the first row) is not part of the stack", "pooler" },
    { "numbers 0, 1, 2 ..., which are not learned", "embeddings.position_ids" },
    { "the embedding and its bias once more", "cls.predictions.decoder", where = { "logits.tied", true } },
    { "the bias of tied logits", "cls.predictions.bias", where = { "logits.tied", false } },
    { "heads that are not made", "cls classifier" },
  },
}
