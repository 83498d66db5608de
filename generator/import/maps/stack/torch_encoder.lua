-- torch_encoder: torch.nn.TransformerEncoder, whose attention stacks q, k and v.
local with_biases = require "import.maps.with_biases"

return with_biases({
  layer = "layers.%d.",
  qkv_weight = "self_attn.in_proj_weight",
  qkv_bias = "self_attn.in_proj_bias",
}, {
  o = "self_attn.out_proj",
  attention_norm = "norm1",
  up = "linear1",
  down = "linear2",
  ffn_norm = "norm2",
  final_norm = "norm",
})
