-- gguf: a whole Llama, Granite, Qwen-2 or Qwen-3 as llama.cpp names its tensors. Rows of q and k of a Llama are in
-- another order than in transformers' files, that of interleaved rotary positions, which no name tells; so --from-gguf
-- gives this map.
return {
  on_demand = true,
  embedding = "token_embd.weight",
  layer = "blk.%d.",
  q_weight = "attn_q.weight",
  q_bias = "attn_q.bias",
  k_weight = "attn_k.weight",
  k_bias = "attn_k.bias",
  v_weight = "attn_v.weight",
  v_bias = "attn_v.bias",
  o_weight = "attn_output.weight",
  o_bias = "attn_output.bias",
  q_norm_weight = "attn_q_norm.weight",
  k_norm_weight = "attn_k_norm.weight",
  attention_norm_weight = "attn_norm.weight",
  gate_weight = "ffn_gate.weight",
  gate_bias = "ffn_gate.bias",
  up_weight = "ffn_up.weight",
  up_bias = "ffn_up.bias",
  down_weight = "ffn_down.weight",
  down_bias = "ffn_down.bias",
  ffn_norm_weight = "ffn_norm.weight",
  final_norm_weight = "output_norm.weight",
  logits_weight = "output.weight",
  of_spec = { rope_factors = "divisors", rope_factors_long = "long_divisors", rope_factors_short = "divisors" },
  refuses = {
    rope_factors = "rope_freqs.weight", -- which scale the rotary positions of Llama 3.1
    rope_factors_long = "rope_factors_long.weight",
    rope_factors_short = "rope_factors_short.weight",
    ["layers.0.sinks"] = "attn_sinks.weight",
    ["layers.0.post_attention_norm_weight"] = "post_attention_norm.weight",
    ["layers.0.post_ffn_norm_weight"] = "post_ffw_norm.weight",
  },
}
