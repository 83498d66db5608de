-- rounded_cache.lua: what a cache keeps in one format as narrow products read it in another: each call makes them of
-- all rows, through floats.
local arithmetic = require "arithmetic"
local dtype = require "dtype"

return {
  name = "rounded_cache",
  on = function(spec)
    return spec.cache and spec.attends_in ~= "f32" and
      arithmetic.get(spec.attends_in).cached ~= dtype.of_rows(spec.cache_dtype)
  end,
}
