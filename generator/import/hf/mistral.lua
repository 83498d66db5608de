-- hf/mistral.lua: MistralModel: LlamaModel without biases, each row seeing the last sliding_window keys.
local llama = require "import.hf.llama"

local fields = {}
for _, row in ipairs(llama.fields) do
  if row[1] ~= "attention_bias" and row[1] ~= "mlp_bias" then fields[#fields + 1] = row end
end
fields[#fields + 1] = { "sliding_window", "mask.window", by = "window", default = 4096, null = false }

local fixed = { { "bias", false }, { "ffn.bias", false } }
for _, row in ipairs(llama.fixed) do fixed[#fixed + 1] = row end

return {
  maps = llama.maps, prefixes = llama.prefixes, fields = fields, fixed = fixed, requires = llama.requires,
  ignores = llama.ignores, unread = llama.unread, base = "MistralModel",
  architectures = {
    MistralModel = llama.architectures.LlamaModel, MistralForCausalLM = llama.architectures.LlamaForCausalLM,
  },
}
