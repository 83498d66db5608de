-- mpt: MptAttention of Hugging Face's transformers: one linear for q, k and v, none with a bias. In a whole model's
-- file these names follow blocks.N.attn.
return {
  qkv_weight = "Wqkv.weight",
  o_weight = "out_proj.weight",
}
