-- rounded_cache.lua: what a cache keeps in one format as narrow products read it in another: each call makes them of
-- all rows, through floats.
local formats = require "formats"

return {
  name = "rounded_cache",
  on = function(spec)
    return spec.cache and spec.attends_in ~= "f32" and not formats.reads_cached(spec.attends_in, spec.cache_dtype)
  end,
}
