-- plan/fast.lua: what products of pairs of rows need in addition to those of rows. Knows no linear by name.
local bilinear = require "base.bilinear"

local fast = { SCHEME = bilinear.schemes.strassen }

-- Floats of the largest tile of one of the products of a scheme, over these products; nil where none is fast.
function fast.tile_floats(products)
  local most
  for _, f in ipairs(products) do most = f.is_fast and math.max(most or 0, f.mr * f.columns) or most end
  return most
end

-- Floats of all products of such a tile, which a thread has room for; nil where none is fast.
function fast.room(products)
  local most = fast.tile_floats(products)
  return most and most * #fast.SCHEME.products
end

return fast
