-- torch_decoder: torch.nn.TransformerDecoder, whose attentions stack q, k and v.
local with_biases = require "import.maps.with_biases"

return with_biases({
  layer = "layers.%d.",
  qkv_weight = "self_attn.in_proj_weight",
  qkv_bias = "self_attn.in_proj_bias",
  memory_qkv_weight = "multihead_attn.in_proj_weight",
  memory_qkv_bias = "multihead_attn.in_proj_bias",
}, {
  o = "self_attn.out_proj",
  attention_norm = "norm1",
  memory_o = "multihead_attn.out_proj",
  memory_norm = "norm2",
  up = "linear1",
  down = "linear2",
  ffn_norm = "norm3",
  final_norm = "norm",
})
