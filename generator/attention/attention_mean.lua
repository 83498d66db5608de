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
  tensors = function(spec, plan, add)
    if not spec.attention_mean then return end
    add({ name = "kept", owner = "round", unit = "q_row", shape = { "q_rows", "n_heads", "keys" },
      floats = spec.n_heads * plan.mean_columns })
    add({ name = "attention_mean", shape = { "batch", "q_len", "kv_len" }, is = "output" })
  end,
  operations = function(spec, add)
    if not spec.attention_mean then return end
    add("weighed", { name = "keep", op = "copy", reads = { "scores" }, writes = { "kept" } })
    add("attended", { name = "attention_mean", op = "mean", reads = { "kept" }, writes = { "attention_mean" } })
  end,
  properties = function() return { { "attention_mean_output", true } } end,
  sentence = function(spec)
    return spec.attention_mean and "the mean of all heads' softmax weights is written on request" or nil
  end,
}
