-- phi3: a whole Phi3Model of Hugging Face's transformers: Llama's names, with one weight for q, k and v and one for
-- gate and up; ...ForCausalLM's file has them after model. and logits of their own name.
return {
  embedding = "embed_tokens.weight",
  layer = "layers.%d.",
  qkv_weight = "self_attn.qkv_proj.weight",
  o_weight = "self_attn.o_proj.weight",
  attention_norm_weight = "input_layernorm.weight",
  gate_up_weight = "mlp.gate_up_proj.weight",
  down_weight = "mlp.down_proj.weight",
  ffn_norm_weight = "post_attention_layernorm.weight",
  final_norm_weight = "norm.weight",
  logits_weight = "lm_head.weight",
}
