-- gguf: a whole Llama, Granite, Qwen-2 or Qwen-3 as llama.cpp names its tensors. Rows of q and k of a Llama are in
-- another order than in transformers' files, that of interleaved rotary positions, which no name tells; so --from-gguf
-- gives this map.
local with_biases = require "import.maps.with_biases"

return with_biases({
  on_demand = true,
  embedding = "token_embd.weight",
  layer = "blk.%d.",
  q_norm_weight = "attn_q_norm.weight",
  k_norm_weight = "attn_k_norm.weight",
  attention_norm_weight = "attn_norm.weight",
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
}, {
  q = "attn_q",
  k = "attn_k",
  v = "attn_v",
  o = "attn_output",
  gate = "ffn_gate",
  up = "ffn_up",
  down = "ffn_down",
})
