-- gguf_nomic_bert: a whole NomicBertModel as llama.cpp names its tensors: a BERT's names, with one weight for q, k and
-- v, and a gate.
local map = {}
for role, name in pairs(require "import.maps.stack.gguf_bert") do
  if not role:find("^[qkv]_") then map[role] = name end
end
map.qkv_weight = "attn_qkv.weight"
map.gate_weight = "ffn_gate.weight"
return map
