-- plan/family.lua: the tile of one product, and its kernels at every height of this tile and at every width of its
-- covers. Knows no operation.
local kernels = require "plan.kernels"
local matrix = require "plan.matrix"
local tiles = require "plan.tiles"
local tuning = require "plan.tuning"

local family = {}

-- A product with the best of the candidates. f.group: the kernels that it takes its own from (plan/kernels.lua), which
-- is set before any is added; f.kernels: these, in order.
function family.new(p, op, what, candidates, type_name)
  local best = candidates[1]
  return {
    op = op, what = what, dtype = type_name, mr = best.mr, nv = best.nv, columns = best.nv * p.isa.width,
    widths = tiles.cover(best.n, best.nv), kernels = {}, registers = tiles.registers(best.mr, best.nv),
    why = "weighed " .. tiles.describe(candidates, p.isa.width), part = p.spec.name,
  }
end

-- Gives a product tiles as tall as those of one vector. Where registers have no room for all its vectors, a kernel
-- sweeps over them one by one: what is made of a vector of B serves more rows. A tile that no other follows is not so
-- tall (f.lone): B would come from memory while nothing else does.
function family.sweep(f, set)
  f.tallest, f.mr = tiles.tallest(set, f.nv), tiles.tallest(set, 1)
  f.why = ("%s; above %d rows one vector after the other"):format(f.why, f.tallest)
end

-- Makes the height of these products' tiles a tuning parameter. most: the rows that registers have room for.
function family.tune_rows(p, families, name, most)
  local rows, is_wisdom = tuning.value(p, name, families[1].mr,
    { least = 1, most = most, candidates = tuning.heights(most) })
  for _, f in ipairs(families) do
    f.lone = math.min(rows, f.tallest or rows)
    f.mr, f.registers = rows, tiles.registers(rows, f.tallest and rows > f.tallest and 1 or f.nv)
    f.why = is_wisdom and ("%d rows by wisdom; %s"):format(rows, f.why) or f.why
  end
end

-- Takes the kernels of a group, which knows then who uses them.
function family.take_group(f, group)
  f.group, group.users[#group.users + 1] = group, f
end

-- Appends one kernel; tile: as plan/kernels.lua has it. f.lines, f.lowest_asking: how many lines the kernels from a
-- height on prefetch, 0 or nil for none; f.asks_both: of both streams in each turn.
function family.add_kernel(f, tile)
  local by_matrix = matrix.takes(f, tile.mr)
  if by_matrix and tile.mr < f.mr then return end -- that of the greatest height takes all
  tile.lines = (f.lines or 0) > 0 and tile.mr >= f.lowest_asking and f.lines or nil
  tile.asks_both = tile.lines and f.asks_both
  tile.does, tile.sweeps = f.does, f.tallest and tile.mr > f.tallest and tile.nv or 1
  f.kernels[#f.kernels + 1] = kernels.kernel(by_matrix and f.matrix.group or f.group, tile)
end

-- Appends kernels of every height and the given widths in vectors.
function family.add_kernels(f, widths)
  for _, nv in ipairs(widths) do
    for mr = 1, f.mr do family.add_kernel(f, { mr = mr, nv = nv }) end
  end
end

-- The kernel of that height, width in vectors and number of panels, nil where there is none; is_tail: of the last
-- panel, where that has its own.
function family.kernel(f, mr, nv, np, is_tail)
  local height = matrix.takes(f, mr) and f.mr or mr
  for _, kernel in ipairs(f.kernels) do
    local is_it = kernel.mr == height and kernel.nv == nv and kernel.np == (np or 1)
    if is_it and (kernel.tail ~= nil) == (is_tail or false) then return kernel end
  end
end

return family
