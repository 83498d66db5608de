-- gguf/gpt2.lua: GPT-2: causal, norms before blocks and one after the last, learned positions.
local common = require "import.gguf.common"

return {
  common = common.of_all, maps = { "gguf_gpt2" }, prefixes = { "" },
  fields = common.named("gpt2", common.fields, {
    { "attention.layer_norm_epsilon", "norm.eps" },
    { "context_length", "positions.rows" },
    { "(tensors).output", "logits.tied", by = "absent" },
  }),
  fixed = {
    { "kind", "encoder" }, { "mask.causal", true }, { "positions.kind", "learned" }, { "norm.kind", "layer" },
    { "norm.place", "pre" }, { "ffn.activation", "gelu_tanh" }, { "logits.kind", "linear" },
  },
  requires = common.named("gpt2", {
    { "attention.causal", true, "a row sees no later one" },
  }),
  ignores = { { "all linears have biases", "(tensors).attention_biases (tensors).ffn_biases" } },
  base = "gpt2", architectures = { gpt2 = {} }, unread = {},
}
