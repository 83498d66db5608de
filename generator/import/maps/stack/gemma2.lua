-- gemma2: a whole Gemma2Model or Gemma3TextModel of Hugging Face's transformers: Llama's names, and a norm over each
-- block's result; also an Olmo2Model or Olmo3Model, which has only the latter norms.
local map = {}
for role, name in pairs(require "import.maps.stack.llama") do map[role] = name end
map.attention_result_norm_weight = "post_attention_layernorm.weight"
map.ffn_norm_weight = "pre_feedforward_layernorm.weight"
map.ffn_result_norm_weight = "post_feedforward_layernorm.weight"
map.refuses = nil
return map
