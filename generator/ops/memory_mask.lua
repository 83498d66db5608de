-- ops/memory_mask.lua: a mask given with each call for the attention of a decoder's layers to its memory. Only says
-- that there is one: it becomes the mask.tensor of that attention, which is a part like any other.
local types = require "schema.types"

local SENTENCES = {
  bool = "a mask of bytes may come with each call for what is attended to besides: a query sees the rows of it " ..
    "whose byte is not zero",
  additive = "a mask of numbers may come with each call for what is attended to besides: it is added to the scaled " ..
    "scores, and -inf forbids a row of it",
}

local function check(spec, fail)
  if spec.kind == "encoder" then
    fail(('mask.memory ("%s") masks what a decoder attends to besides its rows, and kind = "encoder" has none: ' ..
      "mask.tensor masks its own"):format(spec.memory_mask))
  end
  if spec.cache then
    fail(("cache (%d) contradicts mask.memory, which is given for the rows of one call"):format(spec.cache))
  end
end

return {
  name = "memory_mask",
  of_decoder = true,
  first_kind = "decoder",
  fields = {
    { field = "mask.memory", flag = "--mask-memory", check = types.choice({ "bool", "additive" }), default = "none",
      help = "as --mask-tensor, for the memory of a decoder or a transformer: a call may give memory_mask",
      group = "masks", example = 'kind = "decoder", mask = { memory = "bool" }',
      meaning = "each call may give `memory_mask`, a mask for the memory that a decoder or a transformer attends to " ..
        "in addition to its own rows. The kinds are those of `mask.tensor`" },
  },
  resolve = function(spec, fail)
    spec.memory_mask = spec.mask and spec.mask.memory or false
    if spec.stack and spec.memory_mask then check(spec, fail) end
  end,
  -- What is masked so is masked as in any layer.
  memory_fields = function(spec, raw)
    if not spec.memory_mask then return end
    raw["mask.tensor"], raw.masked_row = spec.memory_mask, spec.masked_row
    if spec.memory_mask == "bool" then raw.mask_fill = spec.mask_fill end
  end,
  on = function(spec) return spec.memory_mask end,
  properties = function(spec) return { { "memory_mask", "MASK_" .. spec.memory_mask:upper() } } end,
  sentence = function(spec) return spec.memory_mask and SENTENCES[spec.memory_mask] or nil end,
}
