-- bert: BertAttention of Hugging Face's transformers: three linears of `self`, one of `output`. Its LayerNorm and the
-- residual are no part of the layer. In a whole model's file these names follow encoder.layer.N.attention.
return {
  q_weight = "self.query.weight",
  q_bias = "self.query.bias",
  k_weight = "self.key.weight",
  k_bias = "self.key.bias",
  v_weight = "self.value.weight",
  v_bias = "self.value.bias",
  o_weight = "output.dense.weight",
  o_bias = "output.dense.bias",
}
