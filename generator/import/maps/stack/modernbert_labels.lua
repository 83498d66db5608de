-- modernbert_labels: map modernbert but for the last linear of ModernBertForTokenClassification, its classifier.
local modernbert = require "import.maps.stack.modernbert"

local map = {}
for role, tensor in pairs(modernbert) do map[role] = tensor end
map.transformed = { logits_weight = "classifier.weight", logits_bias = "classifier.bias" }
map.varies = { "logits_weight" }
return map
