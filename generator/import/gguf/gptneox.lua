-- gguf/gptneox.lua: GPT-NeoX: causal, norms before blocks, which both read the same rows unless the file says
-- otherwise. The converter brings the rows of q, k and v to the order of GPT-2. The activation is that of the model
-- before it was converted, which no key tells: gelu, which llama.cpp takes by its approximation with tanh.
local common = require "import.gguf.common"

return {
  common = common.of_all, maps = { "gguf_gpt2" }, prefixes = { "" },
  fields = common.named("gptneox", common.fields, {
    { "attention.layer_norm_epsilon", "norm.eps" },
    { "use_parallel_residual", "layer.parallel", default = true },
    { "rope.dimension_count", "rope.rotary_dim", optional = true },
    { "rope.freq_base", "rope.theta", default = 10000 },
    { "(tensors).output", "logits.tied", by = "absent" },
  }),
  fixed = {
    { "kind", "encoder" }, { "mask.causal", true }, { "rope.layout", "half_split" }, { "norm.kind", "layer" },
    { "norm.place", "pre" }, { "ffn.activation", "gelu" }, { "logits.kind", "linear" },
  },
  requires = common.named("gptneox", {
    { "attention.causal", true, "a row sees no later one" },
  }),
  ignores = { { "all linears have biases", "(tensors).attention_biases (tensors).ffn_biases" } },
  base = "gptneox", architectures = { gptneox = {} }, unread = {},
}
