-- w_concat: four linears whose last is named after the concatenation of heads.
return {
  q_weight = "w_q.weight",
  q_bias = "w_q.bias",
  k_weight = "w_k.weight",
  k_bias = "w_k.bias",
  v_weight = "w_v.weight",
  v_bias = "w_v.bias",
  o_weight = "w_concat.weight",
  o_bias = "w_concat.bias",
  q_norm_weight = "q_norm.weight",
  q_norm_bias = "q_norm.bias",
  k_norm_weight = "k_norm.weight",
  k_norm_bias = "k_norm.bias",
  embedding = "embedding.weight",
  sinks = "sinks",
  relative_bias = "relative_attention_bias.weight",
}
