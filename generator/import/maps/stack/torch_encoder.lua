-- torch_encoder: torch.nn.TransformerEncoder, whose attention stacks q, k and v.
return {
  layer = "layers.%d.",
  qkv_weight = "self_attn.in_proj_weight",
  qkv_bias = "self_attn.in_proj_bias",
  o_weight = "self_attn.out_proj.weight",
  o_bias = "self_attn.out_proj.bias",
  attention_norm_weight = "norm1.weight",
  attention_norm_bias = "norm1.bias",
  up_weight = "linear1.weight",
  up_bias = "linear1.bias",
  down_weight = "linear2.weight",
  down_bias = "linear2.bias",
  ffn_norm_weight = "norm2.weight",
  ffn_norm_bias = "norm2.bias",
  final_norm_weight = "norm.weight",
  final_norm_bias = "norm.bias",
}
