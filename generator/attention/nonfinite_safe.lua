-- nonfinite_safe.lua: keys of a row's range may have a weight of zero, or all of them, which features that mask such
-- keys ask for. Keys whose values are infinite or NaN are then skipped row by row, since zero times them is not zero.

return {
  name = "nonfinite_safe",
  on = function(spec) return spec.nonfinite_safe end,
  uses = { "mask_fill" },
}
