-- float_keys.lua: keys of one call as panels of floats, where attention multiplies floats and no cache keeps them.

return {
  name = "float_keys",
  on = function(spec) return spec.attends_in == "f32" and not spec.cache end,
}
