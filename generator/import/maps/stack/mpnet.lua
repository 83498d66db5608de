-- mpnet: a whole MPNetModel of Hugging Face's transformers, and sentence encoders made from one (all-mpnet-base-v2):
-- map roberta but for the names of its attention, and without types of tokens.
local roberta = require "import.maps.stack.roberta"
local with_biases = require "import.maps.with_biases"

local map = with_biases(roberta, {
  q = "attention.attn.q",
  k = "attention.attn.k",
  v = "attention.attn.v",
  o = "attention.attn.o",
  attention_norm = "attention.LayerNorm",
})
map.token_types, map.varies = nil, nil
map.relative_bias = "encoder.relative_attention_bias.weight"
return map
