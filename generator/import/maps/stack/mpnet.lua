-- mpnet: a whole MPNetModel of Hugging Face's transformers, and sentence encoders made from one (all-mpnet-base-v2):
-- map roberta but for the names of its attention, and without types of tokens.
local roberta = require "import.maps.stack.roberta"

local map = {}
for role, tensor in pairs(roberta) do map[role] = tensor end
for _, linear in ipairs({ "q", "k", "v", "o" }) do
  for _, part in ipairs({ "weight", "bias" }) do
    map[linear .. "_" .. part] = ("attention.attn.%s.%s"):format(linear, part)
  end
end
map.attention_norm_weight, map.attention_norm_bias = "attention.LayerNorm.weight", "attention.LayerNorm.bias"
map.token_types, map.varies = nil, nil
map.relative_bias = "encoder.relative_attention_bias.weight"
return map
