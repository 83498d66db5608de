-- skip_zero.lua: where nonfinite_safe.lua is asked for and attention multiplies floats: a block of rows with a value
-- that is infinite or NaN goes row by row through value kernels that skip keys of weight zero.

return {
  name = "skip_zero",
  on = function(spec) return spec.nonfinite_safe and spec.attends_in == "f32" end,
  uses = { "mask_fill" },
}
