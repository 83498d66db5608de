-- masking.lua: masks of the design that this generator does not make yet, so that asking for one is an answer and not a
-- silence, and the rule for rows that see no key.
local types = require "spec.types"

local function fill(value)
  if value == "-inf" then return value end
  return nil, ('must be "-inf", found %s; a number that replaces a masked score is not generated yet'):format(
    types.shown(value))
end

return {
  name = "masking",
  fields = {
    { field = "mask_fill", check = fill },
    { field = "masked_row", check = types.choice({ "zero" }, { "uniform" }) },
  },
  sentence = function(spec)
    local through = spec.activation.o and ", through " .. spec.activation.o or ""
    local is = spec.projects.o and "the output bias" .. through or "zero"
    return "a row that sees no key has zero attention, so its output is " .. is
  end,
}
