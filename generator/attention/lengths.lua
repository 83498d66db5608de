-- lengths.lua: each sequence of a batch may be shorter than the batch's. Rows beyond a length are neither computed nor
-- read: the real rows of the sequences are gathered, and the layer runs over those.
local types = require "schema.types"

return {
  name = "lengths",
  in_layers = true,
  of_rows = true,
  fields = {
    { field = "mask.lengths", flag = "--lengths", check = types.boolean, default = "yes",
      help = "a call may give the real length of each sequence; padding is neither computed nor seen",
      group = "masks", example = "mask = { lengths = false }" },
  },
  resolve = function(spec)
    spec.lengths = not (spec.mask and spec.mask.lengths == false)
  end,
  sentence = function(spec)
    return spec.lengths and "lengths per sequence: padding is neither computed nor seen" or nil
  end,
}
