-- llama: a decoder layer of Llama and of the many models that took its names (Mistral, Qwen-2, Gemma 2, GPT-OSS). Of
-- those, models that norm each head's q and k are other layers: qwen3 is the map of one.
return {
  q_weight = "self_attn.q_proj.weight",
  q_bias = "self_attn.q_proj.bias",
  k_weight = "self_attn.k_proj.weight",
  k_bias = "self_attn.k_proj.bias",
  v_weight = "self_attn.v_proj.weight",
  v_bias = "self_attn.v_proj.bias",
  o_weight = "self_attn.o_proj.weight",
  o_bias = "self_attn.o_proj.bias",
  sinks = "self_attn.sinks",
  embedding = "embed_tokens.weight",
  refuses = { q_norm_weight = "self_attn.q_norm.weight", k_norm_weight = "self_attn.k_norm.weight" },
}
