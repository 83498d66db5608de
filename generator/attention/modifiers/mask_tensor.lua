-- mask_tensor.lua: a mask given with each call, as bytes (nonzero: attend) or as numbers added to the scores.
-- Works on scores that were computed: which keys it forbids is not known before the call, so no tile is
-- skipped for it.
local types = require "schema.types"

local KINDS = {
  bool = {
    helpers = { "choose" },
    sentence = "a mask of bytes may come with each call, with axes of size 1 where it is the same for all: a query " ..
      "sees the keys whose byte is not zero",
  },
  additive = {
    helpers = { "add_mask" },
    sentence = "a mask of numbers may come with each call, with axes of size 1 where it is the same for all: it is " ..
      "added to the scaled scores, and -inf forbids a key",
  },
}

return {
  name = "mask_tensor",
  fields = {
    { field = "mask.tensor", flag = "--mask-tensor", check = types.choice({ "bool", "additive" }), default = "none",
      help = "each call may give a mask: bool says which keys a query sees, additive is added to its scores",
      group = "masks", example = 'mask = { tensor = "bool" }',
      meaning = 'each call may give a mask. `"bool"`: if a byte is not zero, the query sees the key. ' ..
        '`"additive"`: a number that is added to the scaled score, where -inf hides the key' },
  },
  resolve = function(spec)
    spec.mask_tensor = spec.mask and spec.mask.tensor or false
    spec.needs_natural_scores = spec.needs_natural_scores or spec.mask_tensor == "additive"
    -- Weights of exactly zero among the keys a row's range holds, and rows whose range holds only such.
    spec.nonfinite_safe = spec.nonfinite_safe or spec.mask_tensor ~= false
  end,
  score_order = "mask",
  after = { "lengths" },
  on = function(spec) return spec.mask_tensor end,
  helpers = function(spec)
    return spec.mask_tensor and KINDS[spec.mask_tensor].helpers or nil
  end,
  properties = function(spec) return { { "mask", "MASK_" .. spec.mask_tensor:upper() } } end,
  sentence = function(spec)
    return spec.mask_tensor and KINDS[spec.mask_tensor].sentence or nil
  end,
}
