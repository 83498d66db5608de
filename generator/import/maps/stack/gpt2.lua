-- gpt2: a whole GPT2Model of Hugging Face's transformers, whose Conv1D holds [in,out]; GPT2LMHeadModel's file has its
-- names after transformer. and logits of its own name.
return {
  embedding = "wte.weight",
  positions = "wpe.weight",
  layer = "h.%d.",
  qkv_weight = "attn.c_attn.weight",
  qkv_bias = "attn.c_attn.bias",
  o_weight = "attn.c_proj.weight",
  o_bias = "attn.c_proj.bias",
  attention_norm_weight = "ln_1.weight",
  attention_norm_bias = "ln_1.bias",
  up_weight = "mlp.c_fc.weight",
  up_bias = "mlp.c_fc.bias",
  down_weight = "mlp.c_proj.weight",
  down_bias = "mlp.c_proj.bias",
  ffn_norm_weight = "ln_2.weight",
  ffn_norm_bias = "ln_2.bias",
  final_norm_weight = "ln_f.weight",
  final_norm_bias = "ln_f.bias",
  logits_weight = "lm_head.weight",
  transposed = true,
}
