-- nonfinite_safe.lua: keys of a row's range may have a weight of zero, or all of them, which features that mask such
-- keys ask for. A value that is infinite or NaN must not reach a row through them, since zero times it is not zero:
-- products of floats skip such keys (skip_zero.lua), and narrow ones are of numbers alone.

return {
  name = "nonfinite_safe",
  on = function(spec) return spec.nonfinite_safe end,
}
