-- plan/fast.lua: what products of pairs of rows need in addition to those of rows. Knows no linear by name.
local bilinear = require "base.bilinear"

local fast = { SCHEME = bilinear.schemes.strassen }

-- Floats of the largest tile of one of the products of a scheme, on an instruction set.
function fast.tile_floats(set)
  return set.max_accumulators * set.width
end

-- Floats of all products of such a tile, which a thread has room for.
function fast.room(set)
  return fast.tile_floats(set) * #fast.SCHEME.products
end

return fast
