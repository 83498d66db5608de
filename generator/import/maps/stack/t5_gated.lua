-- t5_gated: map t5 but for a gated feed-forward (T5 1.1, Flan-T5, mT5).
local t5 = require "import.maps.stack.t5"

local map = {}
for role, tensor in pairs(t5) do map[role] = tensor end
map.gate_weight = "layer.1.DenseReluDense.wi_0.weight"
map.up_weight = "layer.1.DenseReluDense.wi_1.weight"
return map
