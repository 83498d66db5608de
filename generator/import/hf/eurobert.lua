-- hf/eurobert.lua: EuroBertModel: LlamaModel whose rows see all others.
local llama = require "import.hf.llama"

-- The base of rotary positions has no default: that of EuroBERT's own code is not that of transformers.
local CHANGED = {
  is_causal = { "is_causal", "mask.causal", default = false },
  rms_norm_eps = { "rms_norm_eps", "norm.eps", default = 1e-5 },
}

local fields = {}
for i, row in ipairs(llama.fields) do fields[i] = CHANGED[row[1]] or row end
for i, row in ipairs(fields) do
  if row[2] == "rope.theta" then fields[i] = { row[1], row[2], also = row.also } end
end

local ignores = { { "of heads", "classifier_pooling clf_pooling" } }
for _, row in ipairs(llama.ignores) do ignores[#ignores + 1] = row end

local requires = { { "is_decoder", false, "its mask would be causal" } }
for _, row in ipairs(llama.requires) do requires[#requires + 1] = row end

return {
  maps = llama.maps, prefixes = llama.prefixes, fields = fields, fixed = llama.fixed, requires = requires,
  ignores = ignores, unread = llama.unread, base = "EuroBertModel",
  architectures = {
    EuroBertModel = {}, EuroBertForMaskedLM = { without = "its head for masked words (lm_head)" },
  },
}
