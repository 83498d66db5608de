-- plan/fast.lua: what products of pairs of rows need in addition to those of rows. Knows no linear by name.
local bilinear = require "base.bilinear"
local tiles = require "plan.tiles"

local fast = { SCHEME = bilinear.schemes.strassen }

fast.ITEMS = 72 -- pairs or rows that all panels of a linear use in turn: their sums stay in L2 where inputs are few

-- Floats of one product of so many items with a panel, on an instruction set.
function fast.plane_floats(set)
  return fast.ITEMS * tiles.MAX_NV * set.width
end

-- Floats of all products of them, which a thread has room for.
function fast.room(set)
  return fast.plane_floats(set) * #fast.SCHEME.products
end

return fast
