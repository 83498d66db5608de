-- hf/gemma.lua: GemmaModel: LlamaModel whose token rows are scaled by sqrt(d_model), and whose norms multiply by
-- 1 + weight.
local llama = require "import.hf.llama"

local OWN = { hidden_act = true, head_dim = true, mlp_bias = true }

local fields = {
  { "hidden_act", "ffn.activation", by = "activation", default = "gelu_pytorch_tanh" },
  { "head_dim", "d_head", default = 256 },
}
for _, row in ipairs(llama.fields) do
  if not OWN[row[1]] then fields[#fields + 1] = row end
end

local fixed = { { "embedding.scale", true }, { "norm.unit_offset", true }, { "ffn.bias", false } }
for _, row in ipairs(llama.fixed) do fixed[#fixed + 1] = row end

local requires = { { "use_bidirectional_attention", false, "rows see no later ones" } }
for _, row in ipairs(llama.requires) do requires[#requires + 1] = row end

local ignores = { { "transformers reads hidden_act", "hidden_activation" } }
for _, row in ipairs(llama.ignores) do ignores[#ignores + 1] = row end

return {
  maps = llama.maps, prefixes = llama.prefixes, fields = fields, fixed = fixed, requires = requires, ignores = ignores,
  unread = llama.unread, base = "GemmaModel",
  architectures = {
    GemmaModel = {},
    GemmaForCausalLM = {
      fixed = llama.architectures.LlamaForCausalLM.fixed,
      fields = { { "tie_word_embeddings", "logits.tied", default = true } },
    },
  },
}
