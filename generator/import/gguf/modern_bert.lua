-- gguf/modern_bert.lua: ModernBertModel: norms before blocks, rotary positions, a gated feed-forward in one linear,
-- layers that see all keys, and between them layers with a window and other angles. llama.cpp takes the activation,
-- gelu, by its approximation with tanh.
local common = require "import.gguf.common"

return {
  common = common.of_all, maps = { "gguf_modern_bert" }, prefixes = { "" },
  fields = common.named("modern-bert", common.fields, {
    { "attention.layer_norm_epsilon", "norm.eps" },
    { "rope.freq_base", "rope.theta", default = 10000 },
    { "rope.freq_base_swa", default = 10000, use = "rope.theta of layers with a window" },
    { "attention.sliding_window_pattern", "layers.pattern", by = "every_nth", default = 3 },
    { "attention.sliding_window", "layers.kinds", by = "near_kind", theta = "rope.freq_base_swa" },
    { "pooling_type", "pool.kind", by = "ggml_pool", optional = true },
  }),
  fixed = {
    { "kind", "encoder" }, { "rope.layout", "half_split" }, { "embedding.norm", true }, { "norm.kind", "layer" },
    { "norm.place", "pre" }, { "norm.bias", false }, { "norm.skips_first", true }, { "ffn.gated", true },
    { "ffn.fused", true }, { "ffn.activation", "gelu" }, { "bias", false }, { "ffn.bias", false },
  },
  requires = common.named("modern-bert", {
    { "attention.causal", false, "a row sees all rows" },
    { "rope.scaling.type", "none", "rotary positions are not scaled" },
    { "(tensors).attention_biases", "none", "its linears have no biases" },
    { "(tensors).ffn_biases", "none", "its linears have no biases" },
  }),
  ignores = { { "there are no logits", "(tensors).output" } },
  base = "modern-bert", architectures = { ["modern-bert"] = {} },
  unread = { { "the head of a classifier is not part of the stack", "cls" } },
}
