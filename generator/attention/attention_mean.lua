-- attention_mean.lua: the mean of all heads' attention as an output, as nn.MultiheadAttention's average_attn_weights
-- gives it. Where heads are different threads' work, each keeps its weights until all are there; then rows are added
-- up in the order of the heads, as one thread does that takes one head after the other.

return {
  name = "attention_mean",
  resolve = function(spec)
    spec.attention_mean = false
    for _, name in ipairs(spec.outputs or {}) do
      spec.attention_mean = spec.attention_mean or name == "attention_mean"
    end
  end,
  on = function(spec) return spec.attention_mean end,
  uses = { "extra_keys" },
  sentence = function(spec)
    return spec.attention_mean and "the mean of all heads' softmax weights is written on request" or nil
  end,
}
