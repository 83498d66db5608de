-- timm: the vision transformers of timm, whose input projections are one linear. In a whole model's file these names
-- follow blocks.N.attn.
return {
  qkv_weight = "qkv.weight",
  qkv_bias = "qkv.bias",
  o_weight = "proj.weight",
  o_bias = "proj.bias",
  refuses = { q_norm_weight = "q_norm.weight", k_norm_weight = "k_norm.weight" },
}
