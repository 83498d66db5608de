-- scale.lua: what scores are multiplied by before softmax.
-- Adds no stage: the factor, times log2 e, is a literal of the one multiplication that starts each exponential.
local fmt = require "base.fmt"
local types = require "schema.types"

local number = types.number(1e-6, 1e6)

local function check(value)
  if value == "d_head" or value == "d_model" then return value end
  local scale = number(value)
  if scale then return scale end
  return nil, ('must be "d_head" (1/sqrt(d_head)), "d_model" or a number from 1e-06 to 1e+06, found %s'):format(
    types.shown(value))
end

return {
  name = "scale",
  fields = {
    { field = "scale", flag = "--scale", value = "d_head|d_model|X",
      check = types.described("`\"d_head\"`, `\"d_model\"`, or a number, 1e-06 to 1e+06", check),
      parse = types.to_number, default = "d_head",
      help = "factor of the scores: X, 1/sqrt(d_head) or 1/sqrt(d_model)",
      group = "scores", example = "scale = 0.125" },
  },
  resolve = function(spec)
    local by = spec.scale or "d_head"
    spec.scale_factor = type(by) == "number" and by or 1 / math.sqrt(spec[by])
  end,
  score_order = "scale",
  after = { "bias" },
  -- q and scores as the layer defines them leave no other place for it.
  on = function(spec) return spec.needs_unscaled_q and spec.needs_natural_scores end,
  sentence = function(spec)
    local by = spec.scale or "d_head"
    return "scores are scaled by " .. (type(by) == "number" and fmt.double(by) or "1/sqrt(" .. by .. ")")
  end,
}
