-- gpt_neox: a whole GPTNeoXModel of Hugging Face's transformers, whose one weight of q, k and v has the rows of a head
-- after those of another; GPTNeoXForCausalLM's file has its names after gpt_neox. and logits of their own name.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "embed_in.weight",
  layer = "layers.%d.",
  by_head = true,
  logits_weight = "embed_out.weight",
}, {
  qkv = "attention.query_key_value",
  o = "attention.dense",
  attention_norm = "input_layernorm",
  up = "mlp.dense_h_to_4h",
  down = "mlp.dense_4h_to_h",
  ffn_norm = "post_attention_layernorm",
  final_norm = "final_layer_norm",
})
