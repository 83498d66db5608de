-- vit: ViTAttention of Hugging Face's transformers. In a whole model's file these names follow
-- encoder.layer.N.attention.
return {
  q_weight = "attention.query.weight",
  q_bias = "attention.query.bias",
  k_weight = "attention.key.weight",
  k_bias = "attention.key.bias",
  v_weight = "attention.value.weight",
  v_bias = "attention.value.bias",
  o_weight = "output.dense.weight",
  o_bias = "output.dense.bias",
}
