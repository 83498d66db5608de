-- hf/qwen2.lua: Qwen2Model: LlamaModel with biases on q, k and v.
local llama = require "import.hf.llama"

local fields = {}
for _, row in ipairs(llama.fields) do
  if row[1] ~= "attention_bias" and row[1] ~= "mlp_bias" then fields[#fields + 1] = row end
end

local fixed = { { "bias", { q = true, k = true, v = true, o = false } }, { "ffn.bias", false } }
for _, row in ipairs(llama.fixed) do fixed[#fixed + 1] = row end

local requires = {
  { "use_sliding_window", false, "all layers see the same keys" },
  { "layer_types", "full_attention", "all layers see the same keys", each = true },
  { "use_mrope", false, "places are numbers, not three of them" },
}
for _, row in ipairs(llama.requires) do requires[#requires + 1] = row end

local ignores = { { "of use_sliding_window", "sliding_window max_window_layers" } }
for _, row in ipairs(llama.ignores) do ignores[#ignores + 1] = row end

return {
  maps = llama.maps, prefixes = llama.prefixes, fields = fields, fixed = fixed, requires = requires,
  ignores = ignores, unread = llama.unread, base = "Qwen2Model",
  architectures = {
    Qwen2Model = llama.architectures.LlamaModel, Qwen2ForCausalLM = llama.architectures.LlamaForCausalLM,
  },
}
