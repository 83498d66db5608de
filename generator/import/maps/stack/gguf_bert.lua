-- gguf_bert: a whole BertModel as llama.cpp names its tensors.
local with_biases = require "import.maps.with_biases"

return with_biases({
  on_demand = true,
  embedding = "token_embd.weight",
  positions = "position_embd.weight",
  token_types = "token_types.weight",
  layer = "blk.%d.",
}, {
  embedding_norm = "token_embd_norm",
  q = "attn_q",
  k = "attn_k",
  v = "attn_v",
  o = "attn_output",
  attention_norm = "attn_output_norm",
  up = "ffn_up",
  down = "ffn_down",
  ffn_norm = "layer_output_norm",
})
