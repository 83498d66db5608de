-- roberta: map bert but for the classifier of RobertaForSequenceClassification and XLMRobertaForSequenceClassification,
-- which has both its linears outside the model, and for the head of RobertaForMaskedLM.
local bert = require "import.maps.stack.bert"
local with_biases = require "import.maps.with_biases"

local map = with_biases(bert, {
  classifier_dense = "classifier.dense",
  classifier = "classifier.out_proj",
  logits_dense = "lm_head.dense",
  logits_norm = "lm_head.layer_norm",
})
map.inside, map.varies = nil, { "classifier_weight", "logits_dense_weight" }
map.transformed = {
  logits_weight = "lm_head.decoder.weight", logits_bias = "lm_head.decoder.bias", tied_bias = "lm_head.bias",
}
return map
