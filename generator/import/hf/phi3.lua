-- hf/phi3.lua: Phi3Model (Phi-3, Phi-4, Phi-4-mini): LlamaModel without biases, with one weight for q, k and v and one
-- for gate and up, of whose heads a part may rotate.
local llama = require "import.hf.llama"

local OTHER = { attention_bias = true, mlp_bias = true, rms_norm_eps = true }
local fields = {
  { "rms_norm_eps", "norm.eps", default = 1e-5 },
  { "partial_rotary_factor", "rope.rotary_dim", by = "rotary_dim", also = "rope_parameters.partial_rotary_factor",
    optional = true, quiet = true },
  { "sliding_window", "mask.window", by = "window", optional = true, null = false },
}
for i = #llama.fields, 1, -1 do
  if not OTHER[llama.fields[i][1]] then table.insert(fields, 1, llama.fields[i]) end
end

local fixed = { { "bias", false }, { "ffn.bias", false }, { "ffn.fused", true } }
for _, row in ipairs(llama.fixed) do fixed[#fixed + 1] = row end

local requires = {}
for _, row in ipairs(llama.requires) do
  if not row[1]:find("partial_rotary_factor$") then requires[#requires + 1] = row end
end

return {
  maps = { "phi3" }, prefixes = llama.prefixes, fields = fields, fixed = fixed, requires = requires,
  ignores = { { "dropout is for training", "attention_dropout resid_pdrop embd_pdrop" } },
  unread = llama.unread, base = "Phi3Model",
  architectures = {
    Phi3Model = llama.architectures.LlamaModel, Phi3ForCausalLM = llama.architectures.LlamaForCausalLM,
  },
}
