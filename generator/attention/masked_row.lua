-- masked_row.lua: what a row of attention is whose keys are all masked with -inf: zeros, or the same weight for every
-- key of its sequence. With a finite mask_fill there is no such row.
local fmt = require "base.fmt"
local types = require "schema.types"

local UNIFORM = "a row that sees no key gives all keys of its sequence the same weight; without any it has zero " ..
  "attention"

return {
  name = "masked_row",
  in_layers = true,
  fields = {
    { field = "masked_row", flag = "--masked-row", check = types.choice({ "zero", "uniform" }), default = "zero",
      help = "attention of a query whose keys are all masked with -inf: none, or the same weight for each key",
      group = "masks", example = 'masked_row = "uniform"',
      meaning = 'the attention of a query whose keys are all masked with -inf. `"zero"`: it has no attention. ' ..
        '`"uniform"`: each key of its sequence has the same weight' },
  },
  resolve = function(spec, fail)
    if spec.fill and spec.masked_row then
      fail(('masked_row ("%s") is about rows masked with -inf: with mask_fill (%s) they are what this number gives')
        :format(spec.masked_row, fmt.double(spec.fill)))
    end
    spec.uniform = spec.masked_row == "uniform"
    if spec.uniform then spec.nonfinite_safe, spec.full_range_fallback = true, true end
  end,
  on = function(spec) return spec.uniform end,
  uses = { "full_range_fallback" },
  properties = function() return { { "masked_uniform", true } } end,
  sentence = function(spec)
    if spec.fill or spec.extra_keys > 0 then return nil end
    if spec.uniform then return UNIFORM end
    local through = spec.activation.o and ", through " .. spec.activation.o or ""
    local is = spec.projects.o and "the output bias" .. through or "zero"
    return "a row that sees no key has zero attention, so its output is " .. is
  end,
}
