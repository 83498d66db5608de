-- llama: a decoder layer of Llama and of the many models that took its names (Mistral, Qwen-2, Gemma).
return {
  q_weight = "self_attn.q_proj.weight",
  q_bias = "self_attn.q_proj.bias",
  k_weight = "self_attn.k_proj.weight",
  k_bias = "self_attn.k_proj.bias",
  v_weight = "self_attn.v_proj.weight",
  v_bias = "self_attn.v_proj.bias",
  o_weight = "self_attn.o_proj.weight",
  o_bias = "self_attn.o_proj.bias",
  embedding = "embed_tokens.weight",
}
