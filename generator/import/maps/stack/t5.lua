-- t5: a whole T5EncoderModel of Hugging Face's transformers, with two linears in the feed-forward (T5 1.0).
return {
  embedding = "shared.weight",
  layer = "encoder.block.%d.",
  q_weight = "layer.0.SelfAttention.q.weight",
  k_weight = "layer.0.SelfAttention.k.weight",
  v_weight = "layer.0.SelfAttention.v.weight",
  o_weight = "layer.0.SelfAttention.o.weight",
  relative_bias = "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
  attention_norm_weight = "layer.0.layer_norm.weight",
  up_weight = "layer.1.DenseReluDense.wi.weight",
  down_weight = "layer.1.DenseReluDense.wo.weight",
  ffn_norm_weight = "layer.1.layer_norm.weight",
  final_norm_weight = "encoder.final_layer_norm.weight",
  only_with = { "relative_bias" },
}
