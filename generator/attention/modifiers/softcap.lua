-- softcap.lua: scores go through cap * tanh(score / cap), as Gemma-2's do, before anything is added to them.
-- The units that scores are in are folded into the two factors.
local fmt = require "base.fmt"
local types = require "schema.types"

local number = types.number(1e-3, 1e6)

local function check(value)
  if type(value) == "number" and value <= 0 then
    return nil, ("must be above 0, found %s: scores are squeezed to -softcap .. softcap"):format(types.shown(value))
  end
  return number(value)
end

return {
  name = "softcap",
  fields = {
    { field = "softcap", flag = "--softcap", value = "X", check = types.described(types.words(number), check),
      parse = types.to_number, default = "none",
      help = "scaled scores become X * tanh(score / X)",
      group = "scores", example = "softcap = 50" },
  },
  score_order = "cap",
  after = { "causal" },
  on = function(spec) return spec.softcap end,
  properties = function(spec) return { { "softcap", spec.softcap } } end,
  sentence = function(spec)
    return spec.softcap and ("scores are capped softly: %s * tanh(score / %s)"):format(
      fmt.double(spec.softcap), fmt.double(spec.softcap)) or nil
  end,
}
