-- gguf_gemma2: a whole Gemma 2, Gemma 3, OLMo 2 or OLMo 3 as llama.cpp names its tensors: a Llama's names, and a norm
-- over each block's result.
local map = {}
for role, name in pairs(require "import.maps.stack.gguf") do map[role] = name end
map.attention_result_norm_weight = "post_attention_norm.weight"
map.ffn_result_norm_weight = "post_ffw_norm.weight"
map.refuses = {}
for role, name in pairs(require("import.maps.stack.gguf").refuses) do
  if not role:find("^layers%.0%.post_") then map.refuses[role] = name end
end
return map
