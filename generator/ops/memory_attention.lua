-- ops/memory_attention.lua: the attention of a decoder's layers to its memory, the output of an encoder. Says nothing
-- of that encoder.
local attention = require "ops.attention"

return {
  name = "memory_attention",
  uses = { "attention" },
  weights = {
    "memory_q_weight", "memory_q_bias", "memory_k_weight", "memory_k_bias", "memory_v_weight", "memory_v_bias",
    "memory_o_weight", "memory_o_bias", "memory_qkv_weight", "memory_qkv_bias",
  },
  sublayers = function(spec, words)
    if not spec.memory_spec then return {} end
    return { attention.sublayer(spec, words, "memory", "attend_memory", "memory_", "memory_out", "attention to memory",
      { words.normed, "memory" }) }
  end,
  first_operations = function(spec, add)
    if not spec.memory_spec then return end
    add({ name = "memory_rows", op = "gather", phase = "call", reads = { "key" }, writes = { "memory" },
      template = "memory_attention.begin" })
  end,
  tensors = function(spec, add)
    if not spec.memory_spec then return end
    add({ name = "key", shape = { "batch", "kv_len", "d_model" }, is = "input" })
    add({ name = "memory", shape = { "memory_rows", "d_model" }, width = spec.d_model, stride = "D_MODEL" })
  end,
  properties = function(spec) return { { "cross_attention", spec.layer_cross_attention } } end,
  on = function(spec) return spec.memory_spec end,
}
