-- hf/modernbert.lua: ModernBertModel: norms before blocks, rotary positions, a gated feed-forward; layers that see all
-- keys, and between them layers with a window and other angles.
local common = require "import.hf.common"

local function unscaled(field)
  return { field, "default", "rotary positions are not scaled", alone = true }
end

-- The head of every architecture: a dense linear, an activation and a norm.
local function head(field)
  return { "classifier_activation", field, by = "activation", default = "gelu" }
end

return {
  maps = { "modernbert", "modernbert_labels" },
  prefixes = { "", "model." },
  fields = {
    { "hidden_size", "d_model", default = 768 },
    { "num_attention_heads", "n_heads", default = 12 },
    { "num_hidden_layers", "n_layers", default = 22 },
    { "intermediate_size", "d_ff", default = 1152 },
    { "hidden_activation", "ffn.activation", by = "activation", default = "gelu" },
    { "attention_bias", "bias", default = false },
    { "mlp_bias", "ffn.bias", default = false },
    { "norm_eps", "norm.eps", default = 1e-5 },
    { "norm_bias", "norm.bias", default = false },
    { "vocab_size", "vocab_size", default = 50368 },
    { "max_position_embeddings", "seq_len", by = "up_to", default = 8192 },
    { "global_rope_theta", "rope.theta", also = "rope_parameters.full_attention.rope_theta", default = 160000 },
    { "local_rope_theta", also = "rope_parameters.sliding_attention.rope_theta", default = 10000,
      null = false, use = "rope.theta of layers with a window" },
    { "global_attn_every_n_layers", "layers.pattern", by = "every_nth", default = 3 },
    { "layer_types", "layers.pattern", by = "layer_types", optional = true },
    { "local_attention", "layers.kinds", by = "near_kind", theta = "local_rope_theta", default = 128 },
  },
  fixed = {
    { "kind", "encoder" }, { "rope.layout", "half_split" }, { "embedding.norm", true }, { "norm.kind", "layer" },
    { "norm.place", "pre" }, { "norm.skips_first", true }, { "ffn.gated", true }, { "ffn.fused", true },
  },
  requires = {
    unscaled("rope_parameters.full_attention.rope_type"), unscaled("rope_parameters.sliding_attention.rope_type"),
    unscaled("rope_scaling.rope_type"), unscaled("rope_scaling.type"),
  },
  ignores = {
    { "dropout is for training", "embedding_dropout mlp_dropout attention_dropout" },
    { "how transformers runs it", [[deterministic_flash_attn reference_compile repad_logits_with_grad sparse_prediction
      sparse_pred_ignore_index]] },
    { "for training", "initializer_cutoff_factor" },
    { "what a ModernBERT does not read", "layer_norm_eps position_embedding_type" },
    { "of heads", "classifier_activation classifier_bias classifier_pooling decoder_bias" },
  },
  base = "ModernBertModel",
  architectures = {
    ModernBertModel = {},
    ModernBertForMaskedLM = {
      fixed = { { "logits.kind", "linear" } },
      fields = {
        head("logits.transform"), common.words_fields[1],
        { "classifier_bias", "logits.transform_bias", default = false },
        { "decoder_bias", "logits.bias", default = true },
      },
    },
    ModernBertForTokenClassification = {
      fixed = { { "logits.kind", "linear" }, { "logits.bias", true } },
      fields = {
        head("logits.transform"), { "id2label", "logits.size", by = "labels", default = 2 },
        { "classifier_bias", "logits.transform_bias", default = false },
      },
    },
    ModernBertForSequenceClassification = {
      fixed = { { "classifier.norm", true } },
      fields = {
        head("classifier.activation"), common.classifier_fields[1], common.classifier_fields[2],
        { "classifier_bias", "classifier.dense_bias", default = false },
        { "classifier_pooling", "pool.kind", default = "cls" },
      },
    },
  },
  unread = {
    { "the embedding once more", "decoder.weight", where = { "logits.tied", true } },
    { "heads that are not made", "head decoder classifier" },
  },
}
