-- gguf/bert.lua: BertModel and sentence encoders made from one: norms after residuals and embeddings, learned
-- positions, types of tokens. The activation is that of the model before it was converted, which no key tells: gelu,
-- which llama.cpp takes by its approximation with tanh.
local common = require "import.gguf.common"

return {
  common = common.of_all, maps = { "gguf_bert" }, prefixes = { "" },
  fields = common.named("bert", common.fields, {
    { "attention.layer_norm_epsilon", "norm.eps" },
    { "(tensors).token_types", "token_types" },
    { "context_length", "positions.rows" },
    { "pooling_type", "pool.kind", by = "ggml_pool", optional = true },
  }),
  fixed = {
    { "kind", "encoder" }, { "positions.kind", "learned" }, { "embedding.norm", true }, { "norm.kind", "layer" },
    { "norm.place", "post" }, { "ffn.activation", "gelu" },
  },
  requires = common.named("bert", {
    { "attention.causal", false, "a row sees all rows" },
  }),
  ignores = {
    { "there are no logits", "(tensors).output" },
    { "all linears have biases", "(tensors).attention_biases (tensors).ffn_biases" },
  },
  base = "bert", architectures = { bert = {} },
  unread = {
    { "the head of a classifier is not part of the stack", "cls" },
  },
}
