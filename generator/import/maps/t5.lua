-- t5: T5Attention of Hugging Face's transformers: four linears without bias, and in the first
-- layer the bias by distance. In a whole model's file these names follow
-- encoder.block.N.layer.0.SelfAttention.
return {
  q_weight = "q.weight",
  k_weight = "k.weight",
  v_weight = "v.weight",
  o_weight = "o.weight",
  relative_bias = "relative_attention_bias.weight",
}
