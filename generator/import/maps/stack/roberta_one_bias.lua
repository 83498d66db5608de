-- roberta_one_bias: map roberta as transformers 4 saves RobertaForMaskedLM, as bert_one_bias is of BertForMaskedLM.
local of_one_bias = require "import.maps.one_bias"

return of_one_bias(require "import.maps.stack.roberta")
