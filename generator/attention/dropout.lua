-- dropout.lua: the probability a training recipe gives; accepted so that a spec may say all of its module.
-- Adds nothing: dropout at inference is the identity.
local fmt = require "base.fmt"
local types = require "schema.types"

return {
  name = "dropout",
  in_layers = true,
  fields = {
    { field = "dropout", flag = "--dropout", value = "P", check = types.number(0, 1), default = "0",
      help = "accepted, but has no effect: at inference dropout is the identity",
      group = "scores", example = "dropout = 0.1" },
  },
  sentence = function(spec)
    return spec.dropout and ("dropout %s acts in training only: here it is the identity"):format(
      fmt.double(spec.dropout)) or nil
  end,
}
