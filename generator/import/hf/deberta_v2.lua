-- hf/deberta_v2.lua: DebertaV2Model, which is DeBERTa v2 and v3, and its heads: a BERT whose scores add products with
-- relative positions. Without the convolution of v2-xlarge.
local common = require "import.hf.common"

return {
  maps = { "deberta_v2" },
  prefixes = { "", "deberta." },
  fields = {
    { "hidden_size", "d_model", default = 1536 },
    { "num_attention_heads", "n_heads", default = 24 },
    { "attention_head_size", "d_head", optional = true, quiet = true },
    { "num_hidden_layers", "n_layers", default = 24 },
    { "intermediate_size", "d_ff", default = 6144 },
    { "hidden_act", "ffn.activation", by = "activation", default = "gelu" },
    { "layer_norm_eps", "norm.eps", default = 1e-7 },
    { "vocab_size", "vocab_size", default = 128100 },
    { "type_vocab_size", "token_types", by = "some", default = 0, quiet = true },
    { "position_biased_input", "positions.kind", by = "added_positions", default = true },
    { "max_position_embeddings", "positions.rows", by = "added_rows", default = 512, quiet = true },
    { "max_position_embeddings", "seq_len", by = "up_to", default = 512 },
    { "relative_attention", nil, default = false, use = "whether there is disentangled" },
    { "pos_att_type", "scale", by = "scale_of_terms", default = "" },
    { "pos_att_type", "disentangled.terms", by = "position_terms", default = "", quiet = true },
    { "position_buckets", "disentangled.span", by = "position_span", default = -1 },
    { "max_relative_positions", "disentangled.max_distance", by = "position_distance", default = -1, quiet = true },
    { "norm_rel_ebd", "disentangled.norm_eps", by = "position_norm", default = "none", quiet = true },
    { "share_att_key", "disentangled.own_linears", by = "position_linears", default = false, quiet = true },
    { "embedding_size", "d_model", by = "same", as = "hidden_size", optional = true, quiet = true },
    { "pooler_hidden_size", "d_model", by = "same", as = "hidden_size", optional = true, quiet = true },
  },
  fixed = {
    { "kind", "encoder" }, { "embedding.norm", true }, { "norm.kind", "layer" }, { "norm.place", "post" },
  },
  requires = {
    { "conv_kernel_size", 0, "there is no convolution after the first layer" },
  },
  ignores = {
    { "dropout is for training", "hidden_dropout_prob attention_probs_dropout_prob pooler_dropout cls_dropout" },
    { "of the convolution, which there is none of", "conv_act conv_groups" },
    { "of heads", "legacy pooler_hidden_act" },
  },
  base = "DebertaV2Model",
  architectures = {
    DebertaV2Model = {},
    DebertaV2ForSequenceClassification = {
      fixed = { { "pool.kind", "cls" } },
      fields = { { "pooler_hidden_act", "classifier.activation", by = "activation", default = "gelu" },
        common.classifier_fields[1], common.classifier_fields[2] },
    },
    DebertaV2ForTokenClassification = {
      fixed = { { "logits.kind", "linear" }, { "logits.bias", true } },
      fields = { { "id2label", "logits.size", by = "labels", default = 2 } },
    },
  },
  unread = {
    { "numbers 0, 1, 2 ..., which are not learned", "embeddings.position_ids" },
    { "positions that the head of masked words adds", "embeddings.position_embeddings",
      where = { "positions", nil } },
    { "relative positions that no score adds", "encoder.rel_embeddings encoder.LayerNorm",
      where = { "disentangled", nil } },
    { "heads that are not made", "cls lm_predictions mask_predictions pooler classifier" },
  },
}
