-- bert_colbert: map bert with the linear of vectors of tokens as colbert-ir saves it, in the model's own file.
local bert = require "import.maps.stack.bert"

local map = {}
for role, tensor in pairs(bert) do map[role] = tensor end
map.vectors = { logits_weight = "linear.weight" }
map.on_demand = true
return map
