-- bert_one_bias: map bert as transformers 4 saves BertForMaskedLM where its logits have a weight of their own. Their
-- bias is one there with that of tied logits, and stands in the file under the latter's name alone.
local of_one_bias = require "import.maps.one_bias"

return of_one_bias(require "import.maps.stack.bert")
