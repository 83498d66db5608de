-- llama: a whole LlamaModel, MistralModel or Qwen2Model of Hugging Face's transformers; ...ForCausalLM's file has their
-- names after model. and logits of their own name.
local with_biases = require "import.maps.with_biases"

return with_biases({
  embedding = "embed_tokens.weight",
  layer = "layers.%d.",
  q_norm_weight = "self_attn.q_norm.weight",
  k_norm_weight = "self_attn.k_norm.weight",
  attention_norm_weight = "input_layernorm.weight",
  ffn_norm_weight = "post_attention_layernorm.weight",
  final_norm_weight = "norm.weight",
  logits_weight = "lm_head.weight",
  refuses = {
    ["layers.0.sinks"] = "self_attn.sinks",
    ["layers.0.pre_ffn_norm_weight"] = "pre_feedforward_layernorm.weight",
    ["layers.0.post_ffn_norm_weight"] = "post_feedforward_layernorm.weight",
  },
}, {
  q = "self_attn.q_proj",
  k = "self_attn.k_proj",
  v = "self_attn.v_proj",
  o = "self_attn.o_proj",
  gate = "mlp.gate_proj",
  up = "mlp.up_proj",
  down = "mlp.down_proj",
})
