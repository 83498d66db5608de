-- gguf/nomic_bert.lua: NomicBertModel (nomic-embed-text-v1.5): norms after residuals and embeddings, rotary positions,
-- a gated feed-forward, types of tokens, no biases but those of norms.
local common = require "import.gguf.common"

return {
  common = common.of_all, maps = { "gguf_nomic_bert" }, prefixes = { "" },
  fields = common.named("nomic-bert", common.fields, {
    { "attention.layer_norm_epsilon", "norm.eps" },
    { "(tensors).token_types", "token_types" },
    { "rope.freq_base", "rope.theta", default = 10000 },
    { "pooling_type", "pool.kind", by = "ggml_pool", optional = true },
  }),
  fixed = {
    { "kind", "encoder" }, { "rope.layout", "half_split" }, { "embedding.norm", true }, { "norm.kind", "layer" },
    { "norm.place", "post" }, { "ffn.gated", true }, { "ffn.activation", "silu" }, { "bias", false },
    { "ffn.bias", false },
  },
  requires = common.named("nomic-bert", {
    { "attention.causal", false, "a row sees all rows" },
    { "moe_every_n_layers", 0, "the feed-forward is one" },
    { "(tensors).attention_biases", "none", "its linears have no biases" },
    { "(tensors).ffn_biases", "none", "its linears have no biases" },
  }),
  ignores = { { "there are no logits", "(tensors).output" } },
  base = "nomic-bert", architectures = { ["nomic-bert"] = {} }, unread = {},
}
