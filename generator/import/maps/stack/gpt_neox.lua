-- gpt_neox: a whole GPTNeoXModel of Hugging Face's transformers, whose one weight of q, k and v has the rows of a head
-- after those of another; GPTNeoXForCausalLM's file has its names after gpt_neox. and logits of their own name.
return {
  embedding = "embed_in.weight",
  layer = "layers.%d.",
  qkv_weight = "attention.query_key_value.weight",
  qkv_bias = "attention.query_key_value.bias",
  by_head = true,
  o_weight = "attention.dense.weight",
  o_bias = "attention.dense.bias",
  attention_norm_weight = "input_layernorm.weight",
  attention_norm_bias = "input_layernorm.bias",
  up_weight = "mlp.dense_h_to_4h.weight",
  up_bias = "mlp.dense_h_to_4h.bias",
  down_weight = "mlp.dense_4h_to_h.weight",
  down_bias = "mlp.dense_4h_to_h.bias",
  ffn_norm_weight = "post_attention_layernorm.weight",
  ffn_norm_bias = "post_attention_layernorm.bias",
  final_norm_weight = "final_layer_norm.weight",
  final_norm_bias = "final_layer_norm.bias",
  logits_weight = "embed_out.weight",
}
