-- hf/xlm_roberta.lua: XLMRobertaModel and multilingual sentence encoders made from one: RobertaModel under other names
-- of its architectures.
local roberta = require "import.hf.roberta"

local same = {}
for key, value in pairs(roberta) do same[key] = value end
same.base, same.architectures = "XLMRobertaModel", {
  XLMRobertaModel = roberta.architectures.RobertaModel,
  XLMRobertaForMaskedLM = roberta.architectures.RobertaForMaskedLM,
  XLMRobertaForSequenceClassification = roberta.architectures.RobertaForSequenceClassification,
  XLMRobertaForTokenClassification = roberta.architectures.RobertaForTokenClassification,
}
return same
