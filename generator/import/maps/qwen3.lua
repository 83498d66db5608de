-- qwen3: a decoder layer of Qwen-3: Llama's names, and norms of each head's q and k.
return {
  q_weight = "self_attn.q_proj.weight",
  q_bias = "self_attn.q_proj.bias",
  k_weight = "self_attn.k_proj.weight",
  k_bias = "self_attn.k_proj.bias",
  v_weight = "self_attn.v_proj.weight",
  v_bias = "self_attn.v_proj.bias",
  o_weight = "self_attn.o_proj.weight",
  o_bias = "self_attn.o_proj.bias",
  q_norm_weight = "self_attn.q_norm.weight",
  k_norm_weight = "self_attn.k_norm.weight",
  embedding = "embed_tokens.weight",
}
