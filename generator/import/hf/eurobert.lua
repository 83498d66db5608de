-- hf/eurobert.lua: EuroBertModel: LlamaModel whose rows see all others.
local common = require "import.hf.common"
local llama = require "import.hf.llama"

-- The base of rotary positions has no default: that of EuroBERT's own code is not that of transformers.
local CHANGED = {
  is_causal = { "is_causal", "mask.causal", default = false },
  rms_norm_eps = { "rms_norm_eps", "norm.eps", default = 1e-5 },
}

local eurobert = common.like(llama, "Llama", "EuroBert", {
  ignores = { { "of heads", "classifier_pooling clf_pooling" } },
  requires = { { "is_decoder", false, "its mask would be causal" } },
})
for i, row in ipairs(llama.fields) do
  eurobert.fields[i] = row[2] == "rope.theta" and { row[1], row[2], also = row.also } or CHANGED[row[1]] or row
end
eurobert.architectures = {
  EuroBertModel = {}, EuroBertForMaskedLM = { without = "its head for masked words (lm_head)" },
}
return eurobert
