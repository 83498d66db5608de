-- kept_scales.lua: what values are worth that a cache keeps as narrow products multiply them (formats: `cached`).
local formats = require "formats"

return {
  name = "kept_scales",
  on = function(spec)
    return spec.cache and spec.attends_in ~= "f32" and
      formats.get(spec.attends_in).product.cached == formats.of_rows(spec.cache_dtype).name
  end,
}
