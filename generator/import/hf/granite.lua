-- hf/granite.lua: GraniteModel, the dense one: LlamaModel with factors of the embedding, of scores, of what joins the
-- residual and of logits.
local llama = require "import.hf.llama"

local fields = {
  { "embedding_multiplier", "embedding.scale", default = 1 },
  { "attention_multiplier", "scale", default = 1 },
  { "residual_multiplier", "layer.residual_scale", default = 1 },
}
for i = #llama.fields, 1, -1 do table.insert(fields, 1, llama.fields[i]) end

local ignores = { { "a head's", "logits_scaling" } }
for _, row in ipairs(llama.ignores) do ignores[#ignores + 1] = row end

local logits = llama.architectures.LlamaForCausalLM

return {
  maps = llama.maps, prefixes = llama.prefixes, fields = fields, fixed = llama.fixed, requires = llama.requires,
  ignores = ignores, unread = llama.unread, base = "GraniteModel",
  architectures = {
    GraniteModel = {},
    GraniteForCausalLM = {
      fixed = logits.fixed,
      fields = { logits.fields[1], { "logits_scaling", "logits.scale", by = "inverse", default = 1 } },
    },
  },
}
