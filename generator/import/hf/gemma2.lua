-- hf/gemma2.lua: Gemma2Model: GemmaModel with another norm over each block's result, scores and logits that are capped
-- softly, and layers with a window between those that see all keys.
local gemma = require "import.hf.gemma"
local llama = require "import.hf.llama"

local fields = {
  { "hidden_activation", "ffn.activation", by = "activation", default = "gelu_pytorch_tanh" },
  { "query_pre_attn_scalar", "scale", by = "inverse_root", default = 256 },
  { "attn_logit_softcapping", "softcap", by = "unless_false", default = 50, null = false },
}
for _, row in ipairs(gemma.fields) do
  if row[1] ~= "hidden_act" then fields[#fields + 1] = row end
end
fields[#fields + 1] = { "layer_types", "layers.pattern", by = "layer_types", default = 2 }
fields[#fields + 1] = { "sliding_window", "layers.kinds", by = "near_kind", default = 4096, null = false }

local fixed = { { "norm.place", "sandwich" } }
for _, row in ipairs(gemma.fixed) do
  if row[1] ~= "norm.place" then fixed[#fixed + 1] = row end
end

local ignores = {
  { "transformers reads hidden_activation", "hidden_act" }, { "how transformers runs it", "cache_implementation" },
  { "a head's", "final_logit_softcapping" },
}
for _, row in ipairs(llama.ignores) do ignores[#ignores + 1] = row end

local logits = gemma.architectures.GemmaForCausalLM

return {
  maps = { "gemma2" }, prefixes = gemma.prefixes, fields = fields, fixed = fixed, requires = gemma.requires,
  ignores = ignores, unread = gemma.unread, base = "Gemma2Model",
  architectures = {
    Gemma2Model = {},
    Gemma2ForCausalLM = {
      fixed = logits.fixed,
      fields = {
        logits.fields[1],
        { "final_logit_softcapping", "logits.softcap", by = "unless_false", default = 30, null = false },
      },
    },
  },
}
