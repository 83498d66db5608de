-- hf/olmo2.lua: Olmo2Model: LlamaModel with norms over blocks' results, before these join the residual, in place of
-- those before blocks, and a norm over all heads of q and one over those of k.
local llama = require "import.hf.llama"

local OWN = { rms_norm_eps = true, mlp_bias = true }

local fields = {
  { "rms_norm_eps", "norm.eps", default = 1e-5 },
  { "rms_norm_eps", "qk_norm.eps", default = 1e-5 },
}
for i = #llama.fields, 1, -1 do
  if not OWN[llama.fields[i][1]] then table.insert(fields, 1, llama.fields[i]) end
end

local fixed = {
  { "norm.place", "result" }, { "qk_norm.kind", "rms" }, { "qk_norm.over", "row" }, { "ffn.bias", false },
}
for _, row in ipairs(llama.fixed) do
  if row[1] ~= "norm.place" then fixed[#fixed + 1] = row end
end

return {
  maps = { "gemma2" }, prefixes = llama.prefixes, fields = fields, fixed = fixed, requires = llama.requires,
  ignores = llama.ignores, unread = llama.unread, base = "Olmo2Model",
  architectures = {
    Olmo2Model = llama.architectures.LlamaModel, Olmo2ForCausalLM = llama.architectures.LlamaForCausalLM,
  },
}
