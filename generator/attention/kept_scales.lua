-- kept_scales.lua: what values are worth that a cache keeps as narrow products multiply them (formats: `cached`).
local formats = require "formats"

return {
  name = "kept_scales",
  on = function(spec)
    return spec.cache and formats.reads_cached(spec.attends_in, spec.cache_dtype)
  end,
}
