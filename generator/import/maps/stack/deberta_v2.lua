-- deberta_v2: a whole DebertaV2Model of Hugging Face's transformers, and its heads: map bert but for the names of its
-- attention, and with relative positions. Its pooler is outside the model.
local bert = require "import.maps.stack.bert"
local with_biases = require "import.maps.with_biases"

local map = with_biases(bert, {
  q = "attention.self.query_proj",
  k = "attention.self.key_proj",
  v = "attention.self.value_proj",
  disentangled_q = "attention.self.pos_query_proj",
  disentangled_k = "attention.self.pos_key_proj",
  disentangled_norm = "encoder.LayerNorm",
})
map.disentangled_table = "encoder.rel_embeddings.weight"
map.inside, map.spare = nil, { positions = true }
return map
