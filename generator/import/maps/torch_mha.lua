-- torch_mha: torch.nn.MultiheadAttention, whose input projections are one stacked tensor, or, with kdim or vdim, three.
return {
  qkv_weight = "in_proj_weight",
  separate = { q_weight = "q_proj_weight", k_weight = "k_proj_weight", v_weight = "v_proj_weight" },
  qkv_bias = "in_proj_bias",
  o_weight = "out_proj.weight",
  o_bias = "out_proj.bias",
  bias_k = "bias_k",
  bias_v = "bias_v",
  embedding = "embedding.weight",
}
