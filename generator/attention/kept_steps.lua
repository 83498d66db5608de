-- kept_steps.lua: values that a cache keeps as numbers of a step of each row, and that floats multiply. Where narrow
-- products multiply them it is kept_scales.lua.
local formats = require "formats"

return {
  name = "kept_steps",
  on = function(spec)
    return spec.cache and spec.attends_in == "f32" and formats.of_rows(spec.cache_dtype).scales
  end,
}
