-- plan/fast.lua: room for products of rows together, and how many of these go through all panels in turn. Knows no
-- linear by name.
local bilinear = require "base.bilinear"
local tiles = require "plan.tiles"

local fast = {}

-- By levels: so many rows together, or single rows, are multiplied by all panels in turn, so that their sums stay in L2
-- where inputs are few.
fast.ITEMS = { 72, 36 }

-- Floats of one product of so many items with the widest panel, or with narrower ones together, on an instruction set.
function fast.plane_floats(set, levels)
  return fast.ITEMS[levels] * tiles.MAX_NV * set.width
end

-- Floats of all products of them, which a thread has room for, where linears are split so often at most.
function fast.room(set, most)
  local floats = 0
  for levels = 1, most do
    floats = math.max(floats, fast.plane_floats(set, levels) * #bilinear.levels[levels].products)
  end
  return floats
end

return fast
