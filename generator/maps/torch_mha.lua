-- torch_mha: torch.nn.MultiheadAttention, whose input projections are one stacked tensor.
return {
  qkv_weight = "in_proj_weight",
  qkv_bias = "in_proj_bias",
  o_weight = "out_proj.weight",
  o_bias = "out_proj.bias",
  embedding = "embedding.weight",
}
