-- hf/qwen3.lua: Qwen3Model: LlamaModel with an RMSNorm over each head of q and k.
local llama = require "import.hf.llama"
local qwen2 = require "import.hf.qwen2"

local fields = { { "rms_norm_eps", "qk_norm.eps", default = 1e-6 } }
for _, row in ipairs(llama.fields) do
  if row[1] ~= "mlp_bias" then fields[#fields + 1] = row end
end

local fixed = { { "qk_norm.kind", "rms" }, { "ffn.bias", false } }
for _, row in ipairs(llama.fixed) do fixed[#fixed + 1] = row end

return {
  maps = llama.maps, prefixes = llama.prefixes, fields = fields, fixed = fixed, requires = qwen2.requires,
  ignores = qwen2.ignores, unread = llama.unread, base = "Qwen3Model",
  architectures = {
    Qwen3Model = llama.architectures.LlamaModel, Qwen3ForCausalLM = llama.architectures.LlamaForCausalLM,
  },
}
