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
  embedding = "embedding.weight",
  sinks = "sinks",
  relative_bias = "relative_attention_bias.weight",
}
