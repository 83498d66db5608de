-- hf/gemma2.lua: Gemma2Model: GemmaModel with another norm over each block's result, scores and logits that are capped
-- softly, and layers with a window between those that see all keys.
local common = require "import.hf.common"
local gemma = require "import.hf.gemma"
local llama = require "import.hf.llama"

local logits = gemma.architectures.GemmaForCausalLM

local gemma2 = common.like(gemma, "Gemma", "Gemma2", {
  maps = { "gemma2" },
  first_fields = {
    { "hidden_activation", "ffn.activation", by = "activation", default = "gelu_pytorch_tanh" },
    { "query_pre_attn_scalar", "scale", by = "inverse_root", default = 256 },
    { "attn_logit_softcapping", "softcap", by = "unless_false", default = 50, null = false },
  },
  fields = {
    { "layer_types", "layers.pattern", by = "layer_types", default = 2 },
    { "sliding_window", "layers.kinds", by = "near_kind", default = 4096, null = false },
  },
  without = "hidden_act",
  fixed = { { "norm.place", "sandwich" } },
  architectures = {
    Gemma2ForCausalLM = {
      fixed = logits.fixed,
      fields = {
        logits.fields[1],
        { "final_logit_softcapping", "logits.softcap", by = "unless_false", default = 30, null = false },
      },
    },
  },
})
gemma2.ignores = {
  { "transformers reads hidden_activation", "hidden_act" }, { "how transformers runs it", "cache_implementation" },
  { "a head's", "final_logit_softcapping" },
}
for _, row in ipairs(llama.ignores) do gemma2.ignores[#gemma2.ignores + 1] = row end
return gemma2
