-- sinks.lua: a learned logit per head that takes part in softmax's sum and weighs no value, as in GPT-OSS: what a row
-- need not look at goes there. Appends one vector of scores to each row, in which the sink stands alone.
local types = require "schema.types"

return {
  name = "sinks",
  fields = {
    { field = "sinks", flag = "--sinks", check = types.boolean, implied = "yes", default = "no",
      help = "each head has a learned logit that takes a share of each softmax and belongs to no value",
      group = "scores", example = "sinks = true" },
  },
  resolve = function(spec, fail)
    spec.n_extra_logits = spec.sinks and 1 or false
    if spec.sinks and spec.masked_row == "uniform" then
      fail('masked_row ("uniform") and sinks contradict each other: the sink takes all of a row that sees no key')
    end
  end,
  roles = function(spec, add)
    if spec.sinks then add("sinks", { spec.n_heads }) end
  end,
  packed = function(spec, add)
    if not spec.sinks then return end
    add("sinks", spec.n_heads, { { kind = "copy", role = "sinks", columns = spec.n_heads, in_scores = true } })
  end,
  on = function(spec) return spec.sinks end,
  operations = function(spec, add)
    if not spec.sinks then return end
    add("scored", { name = "sinks", op = "one more logit", reads = { "scores" }, writes = { "scores" },
      weights = { "sinks" } })
  end,
  sentence = function(spec)
    return spec.sinks and "each head has a sink: a logit in softmax's sum that weighs no value" or nil
  end,
}
