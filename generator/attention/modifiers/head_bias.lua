-- head_bias.lua: a learned number of each head is added to the score of every key of the sequence. Softmax over these
-- keys alone takes no notice of it; other terms of the softmax do: a sink, keys that the model adds, a finite
-- mask_fill.
local types = require "schema.types"

return {
  name = "head_bias",
  fields = {
    { field = "head_bias", flag = "--head-bias", check = types.boolean, implied = "yes", default = "no",
      help = "each head adds a learned number to the scores of the sequence's keys",
      group = "scores", example = "head_bias = true",
      meaning = "each head adds a learned number to the scores of the sequence's keys. Softmax over these alone " ..
        "gives the same weights with and without it. It matters with `sinks`, `add_zero_attn`, `add_bias_kv` or a " ..
        "finite `mask_fill`, and if `outputs` has `scores`" },
  },
  score_order = "bias",
  after = { "causal" },
  weights = { "head_bias" },
  roles = function(spec, add)
    if spec.head_bias then add("head_bias", { spec.n_heads }) end
  end,
  packed = function(spec, add)
    if not spec.head_bias then return end
    add("head_bias", spec.n_heads, { { kind = "copy", role = "head_bias", columns = spec.n_heads, in_scores = true } })
  end,
  on = function(spec) return spec.head_bias end,
  sentence = function(spec)
    return spec.head_bias and "each head adds a learned number to the scores of the sequence's keys" or nil
  end,
}
