-- proj: the names of Hugging Face's attention modules that keep four linears apart.
return {
  q_weight = "q_proj.weight",
  q_bias = "q_proj.bias",
  k_weight = "k_proj.weight",
  k_bias = "k_proj.bias",
  v_weight = "v_proj.weight",
  v_bias = "v_proj.bias",
  o_weight = "out_proj.weight",
  o_bias = "out_proj.bias",
  q_norm_weight = "q_norm.weight",
  q_norm_bias = "q_norm.bias",
  k_norm_weight = "k_norm.weight",
  k_norm_bias = "k_norm.bias",
  embedding = "embedding.weight",
  sinks = "sinks",
  relative_bias = "relative_attention_bias.weight",
}
