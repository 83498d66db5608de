-- kept_scales.lua: what values are worth that a cache keeps as narrow products multiply them (arithmetic: `cached`).
local arithmetic = require "arithmetic"
local dtype = require "dtype"

return {
  name = "kept_scales",
  on = function(spec)
    return spec.cache and spec.attends_in ~= "f32" and
      arithmetic.get(spec.attends_in).cached == dtype.of_rows(spec.cache_dtype)
  end,
}
