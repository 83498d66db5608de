-- head_scale.lua: each head multiplies its scores by a learned number, the inverse of its temperature. Its rows of q
-- are multiplied, which is less work than their scores, once all else is done to them: what comes after finds scores
-- that are scaled.
local types = require "schema.types"

return {
  name = "head_scale",
  fields = {
    { field = "head_scale", flag = "--head-scale", check = types.boolean, implied = "yes", default = "no",
      help = "each head multiplies its scores by a learned number",
      group = "scores", example = "head_scale = true",
      meaning = "each head multiplies its scores by a learned number, the inverse of its temperature: after " ..
        "`qk_norm` and `rope`, together with `scale`, and before `softcap`, biases and masks. Keys that the model " ..
        "adds are scaled too; a sink is not. The weight is the factor. If a model learns its logarithm, as Swin " ..
        "v2 does, store the exponential of it" },
  },
  score_order = "scale",
  after = { "outputs" },
  weights = { "head_scale" },
  idle = 1,
  roles = function(spec, add)
    if spec.head_scale then add("head_scale", { spec.n_heads }) end
  end,
  packed = function(spec, add)
    if not spec.head_scale then return end
    add("head_scale", spec.n_heads, { { kind = "copy", role = "head_scale", columns = spec.n_heads } })
  end,
  on = function(spec) return spec.head_scale end,
  sentence = function(spec)
    return spec.head_scale and "each head multiplies its scores by a learned number" or nil
  end,
}
