-- narrow_keys.lua: keys and values of one call as narrow products read them, where no cache keeps them.

return {
  name = "narrow_keys",
  on = function(spec) return spec.attends_in ~= "f32" and not spec.cache end,
}
