-- roberta: map bert but for the classifier of RobertaForSequenceClassification and XLMRobertaForSequenceClassification,
-- which has both its linears beside the model.
local bert = require "import.maps.stack.bert"

local map = {}
for role, tensor in pairs(bert) do map[role] = tensor end
map.inside, map.varies = nil, "classifier_weight"
map.classifier_dense_weight, map.classifier_dense_bias = "classifier.dense.weight", "classifier.dense.bias"
map.classifier_weight, map.classifier_bias = "classifier.out_proj.weight", "classifier.out_proj.bias"
return map
