-- gguf_gpt2: a whole GPT-2 as llama.cpp names its tensors; its linears are [out, in], unlike transformers'.
local with_biases = require "import.maps.with_biases"

return with_biases({
  on_demand = true,
  embedding = "token_embd.weight",
  positions = "position_embd.weight",
  layer = "blk.%d.",
  logits_weight = "output.weight",
}, {
  qkv = "attn_qkv",
  o = "attn_output",
  attention_norm = "attn_norm",
  up = "ffn_up",
  down = "ffn_down",
  ffn_norm = "ffn_norm",
  final_norm = "output_norm",
})
