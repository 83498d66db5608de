-- hf/camembert.lua: CamembertModel and French sentence encoders made from one: RobertaModel under other names of its
-- architectures; its files have the prefix of a RobertaModel.
local roberta = require "import.hf.roberta"

local same = {}
for key, value in pairs(roberta) do same[key] = value end
same.base, same.architectures = "CamembertModel", {
  CamembertModel = roberta.architectures.RobertaModel,
  CamembertForMaskedLM = roberta.architectures.RobertaForMaskedLM,
  CamembertForSequenceClassification = roberta.architectures.RobertaForSequenceClassification,
  CamembertForTokenClassification = roberta.architectures.RobertaForTokenClassification,
}
return same
