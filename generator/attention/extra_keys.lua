-- extra_keys.lua: keys in addition to those of the sequence, which every query sees, as nn.MultiheadAttention adds
-- them: a learned one (learned_key.lua), and a key and a value of zeros. Their scores stand after those of a row's own
-- keys, so that softmax is one over both.
local types = require "schema.types"

return {
  name = "extra_keys",
  fields = {
    { field = "add_zero_attn", flag = "--add-zero-attn", check = types.boolean, default = "no",
      help = "append a key and a value of zeros to each sequence, as nn.MultiheadAttention",
      group = "scores", example = "add_zero_attn = true" },
  },
  resolve = function(spec, fail)
    spec.extra_keys = (spec.add_bias_kv and 1 or 0) + (spec.add_zero_attn and 1 or 0)
    if spec.extra_keys > 0 then spec.n_extra_logits = spec.extra_keys end
    if spec.extra_keys > 0 and spec.uniform then
      fail(('masked_row ("uniform") is about rows that see no key, and every row sees that of %s'):format(
        spec.add_bias_kv and "add_bias_kv" or "add_zero_attn"))
    end
    if spec.extra_keys > 0 and spec.sinks then
      fail(("sinks and %s are two ways of the same, and no layer has both"):format(
        spec.add_bias_kv and "add_bias_kv" or "add_zero_attn"))
    end
  end,
  on = function(spec) return spec.extra_keys > 0 end,
  uses = { "attention_output", "learned_key" },
  operations = function(spec, add)
    if spec.extra_keys == 0 then return end
    add("scored", { name = "extra_keys", op = "more scores", reads = { "q", "scores" }, writes = { "scores" },
      weights = { spec.add_bias_kv and "bias_k" or nil } })
  end,
  properties = function(spec) return { { "extra_keys", spec.extra_keys } } end,
  sentence = function(spec)
    return spec.add_zero_attn and
      "a key and a value of zeros stand after those of each sequence, seen by every query" or nil
  end,
}
