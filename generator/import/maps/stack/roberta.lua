-- roberta: map bert but for the classifier of RobertaForSequenceClassification and XLMRobertaForSequenceClassification,
-- which has both its linears outside the model, and for the head of RobertaForMaskedLM.
local bert = require "import.maps.stack.bert"

local map = {}
for role, tensor in pairs(bert) do map[role] = tensor end
map.inside, map.varies = nil, { "classifier_weight", "logits_dense_weight" }
map.classifier_dense_weight, map.classifier_dense_bias = "classifier.dense.weight", "classifier.dense.bias"
map.classifier_weight, map.classifier_bias = "classifier.out_proj.weight", "classifier.out_proj.bias"
map.logits_dense_weight, map.logits_dense_bias = "lm_head.dense.weight", "lm_head.dense.bias"
map.logits_norm_weight, map.logits_norm_bias = "lm_head.layer_norm.weight", "lm_head.layer_norm.bias"
map.transformed = {
  logits_weight = "lm_head.decoder.weight", logits_bias = "lm_head.decoder.bias", tied_bias = "lm_head.bias",
}
return map
