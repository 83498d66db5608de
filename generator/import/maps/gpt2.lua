-- gpt2: GPT2Attention of Hugging Face's transformers, whose Conv1D holds [in,out] with q, k and v side by side. In a
-- whole model's file these names follow h.N.attn.
return {
  qkv_weight = "c_attn.weight",
  qkv_bias = "c_attn.bias",
  o_weight = "c_proj.weight",
  o_bias = "c_proj.bias",
  transposed = true,
}
