-- bert_gamma: map bert as files of BERT's first years have it, whose norms are gamma and beta (bert-base-uncased).
local bert = require "import.maps.stack.bert"

local map = {}
for role, tensor in pairs(bert) do
  map[role] = type(tensor) == "table" and tensor or
    tensor:gsub("LayerNorm%.weight$", "LayerNorm.gamma"):gsub("LayerNorm%.bias$", "LayerNorm.beta")
end
return map
