-- mask_tensor.lua: a mask given with each call, as bytes (nonzero: attend) or as numbers added to the scores.
-- Works on a row of scores after it was computed: which keys it forbids is not known before the call, so no tile is
-- skipped for it.
local types = require "spec.types"

local function with_row(functions)
  return {
    facts = "mask_tensor.facts.c.lt", head_fields = "mask_tensor.head_fields.c.lt", head = "mask_tensor.head.c.lt",
    attend_functions = functions, score_row = "mask_tensor.score_row.c.lt",
  }
end

local KINDS = {
  bool = {
    helpers = { "choose" },
    splices = with_row("mask_bool.attend_functions.c.lt"),
    sentence = "a mask of bytes may come with each call, with axes of size 1 where it is the same for all: a query " ..
      "sees the keys whose byte is not zero",
  },
  additive = {
    helpers = { "add_mask" },
    splices = with_row("mask_additive.attend_functions.c.lt"),
    sentence = "a mask of numbers may come with each call, with axes of size 1 where it is the same for all: it is " ..
      "added to the scaled scores, and -inf forbids a key",
  },
}

return {
  name = "mask_tensor",
  fields = {
    { field = "mask.tensor", flag = "--mask-tensor", value = "bool|additive",
      check = types.choice({ "bool", "additive" }), parse = function(word) return word end, default = "none",
      help = "take a mask at run time: bool says which keys a query sees, additive is added to its scores" },
  },
  resolve = function(spec)
    spec.mask_tensor = spec.mask and spec.mask.tensor or false
    spec.natural_scores = spec.natural_scores or spec.mask_tensor == "additive"
    -- Weights of exactly zero among the keys a row's range holds, and rows whose range holds only such.
    spec.zero_weights = spec.zero_weights or spec.mask_tensor ~= false
  end,
  splices = function(spec)
    return spec.mask_tensor and KINDS[spec.mask_tensor].splices or nil
  end,
  helpers = function(spec)
    return spec.mask_tensor and KINDS[spec.mask_tensor].helpers or nil
  end,
  sentence = function(spec)
    return spec.mask_tensor and KINDS[spec.mask_tensor].sentence or nil
  end,
}
