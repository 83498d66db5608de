-- hf/new.lua: NewModel of Alibaba-NLP (gte-multilingual-base, gte-large-en-v1.5), whose code comes with its folders:
-- norms after residuals, rotary positions, a gated feed-forward with a bias after its last linear.
local common = require "import.hf.common"

return {
  maps = { "gte" },
  prefixes = { "", "new." },
  fields = {
    { "hidden_size", "d_model" },
    { "num_attention_heads", "n_heads" },
    { "num_hidden_layers", "n_layers" },
    { "intermediate_size", "d_ff" },
    { "hidden_act", "ffn.activation", by = "activation", default = "gelu" },
    { "layer_norm_eps", "norm.eps", default = 1e-12 },
    { "vocab_size", "vocab_size" },
    { "type_vocab_size", "token_types", by = "some" },
    { "rope_scaling.type", "rope.scaling", by = "ntk", optional = true, quiet = true },
    { "rope_scaling.factor", "rope.factor", by = "ntk_factor", optional = true, quiet = true },
    { "rope_theta", "rope.theta", by = "ntk_theta" },
    { "max_position_embeddings", "seq_len", by = "up_to" },
  },
  fixed = {
    { "kind", "encoder" }, { "rope.layout", "half_split" }, { "embedding.norm", true }, { "norm.kind", "layer" },
    { "norm.place", "post" }, { "ffn.gated", true }, { "ffn.bias", false }, { "ffn.down_bias", true },
  },
  requires = {
    { "position_embedding_type", "rope", "positions turn heads" },
    { "layer_norm_type", "layer_norm", "norms are LayerNorm" },
    { "pack_qkv", true, "q, k and v are one weight" },
    { "logn_attention_scale", false, "scores are divided by the root of a head's width" },
    { "logn_attention_clip1", false, "scores are divided by the root of a head's width" },
    { "rope_scaling.mixed_b", nil, "all pairs of a head are scaled alike" },
  },
  ignores = {
    { "dropout is for training", "hidden_dropout_prob attention_probs_dropout_prob" },
    { "how its code runs it", "unpad_inputs use_memory_efficient_attention" },
  },
  base = "NewModel",
  architectures = {
    NewModel = {},
    NewForSequenceClassification = {
      fixed = { { "pool.kind", "cls" }, { "classifier.activation", "tanh" } },
      fields = common.classifier_fields,
    },
  },
  unread = {
    { "the pooler (a linear and tanh over the first row) is not part of the stack", "pooler" },
    { "heads that are not made", "classifier lm_head" },
  },
}
