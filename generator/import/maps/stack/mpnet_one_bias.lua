-- mpnet_one_bias: map mpnet as transformers 4 saves MPNetForMaskedLM, as bert_one_bias is of BertForMaskedLM.
local of_one_bias = require "import.maps.one_bias"

return of_one_bias(require "import.maps.stack.mpnet")
