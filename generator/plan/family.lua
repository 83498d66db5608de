-- plan/family.lua: a family of kernels: one operation at every height of a register tile and at every width of its
-- covers. Knows no operation.
local tiles = require "plan.tiles"

local family = {}

-- The one name of a kernel: of the model, the type of the weights or rows it reads, the operation, the tile, the set.
function family.symbol(p, type_name, op, mr, nr)
  return ("%s_%s_%s_%dx%d__%s"):format(p.spec.name, type_name, op, mr, nr, p.isa.name)
end

-- A family is one operation at every height 1..mr and every width its covers hold; family.kernels lists them in order.
-- type_name: of what it reads besides rows of floats.
function family.new(p, op, what, candidates, type_name)
  local best = candidates[1]
  local f = {
    op = op, what = what, dtype = type_name, mr = best.mr, nv = best.nv,
    widths = tiles.cover(best.n, best.nv), kernels = {}, registers = tiles.registers(best.mr, best.nv),
    why = "weighed " .. tiles.describe(candidates, p.isa.width),
  }
  f.file = ("%s_%s.c"):format(p.prefix, op)
  f.name = ("%s_%s_%s__%s"):format(p.spec.name, type_name, op, p.isa.name)
  function f.symbol(mr, nv) return family.symbol(p, type_name, op, mr, nv * p.isa.width) end
  return f
end

-- Appends kernels of every height and the given widths in vectors.
function family.add_kernels(f, widths)
  for _, nv in ipairs(widths) do
    for mr = 1, f.mr do
      f.kernels[#f.kernels + 1] = { mr = mr, nv = nv, np = 1, symbol = f.symbol(mr, nv) }
    end
  end
end

return family
