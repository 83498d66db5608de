-- zero_weights.lua: keys of a row's range may have a weight of zero, or all of them, which features that mask such keys
-- ask for. Values that are no finite numbers are then passed over row by row, since zero times them is no zero.

return {
  name = "zero_weights",
  on = function(spec) return spec.zero_weights end,
  uses = { "mask_fill" },
}
