-- plan/matrix.lua: which products of rows with packed weights take matrix registers, from which height of a tile on,
-- and the kernels that do. Lower tiles take vectors. Knows no instruction set.
local kernels = require "plan.kernels"

local matrix = {}

-- By whether weights are in groups: the fewest rows that take less time than by vectors (measured on an Intel Xeon,
-- family 6 model 167); and lines that each turn of a kernel's loop, or each group, prefetches: four tiles of rows
-- prefetch a whole panel.
local USES = { [false] = { least = 5, lines = 8 }, [true] = { least = 8, lines = 5 } }

-- The greatest of these depths of which all running sums are whole ones, or nil.
local function depth_of(sums, depths)
  for _, depth in ipairs(depths) do
    local divides = true
    for _, sum in ipairs(sums) do divides = divides and sum.length % depth == 0 end
    if divides then return depth end
  end
end

-- The most vectors that a panel may have where products take matrices, or nil.
function matrix.most_vectors(X)
  return X.matrix and X.matrix.vectors
end

-- Gives a product f.matrix, where its sums fit: depth: bytes that an instruction multiplies; least: the rows of the
-- lowest tile; lines: as plan_prefetches has them. Its tiles are then as high as matrices are.
function matrix.plan(f)
  local depth = f.X.matrix and depth_of(f.sums, f.X.matrix.depths)
  if not depth then return end
  local use = USES[f.X.in_groups or false]
  f.matrix = { depth = depth, least = use.least, lines = use.lines }
  f.mr, f.lone = f.X.matrix.rows, f.X.matrix.rows
end

-- Takes the group of these kernels: identity, facts: as kernels.group has them, of the kernels of vectors.
function matrix.take_group(f, p, name, identity, facts)
  if not f.matrix then return end
  identity[#identity + 1] = f.matrix.depth
  local template = f.X.in_groups and "linear/gemm_matrix_groups.c.lt" or "linear/gemm_matrix.c.lt"
  local own = setmetatable({ template = template, depth = f.matrix.depth }, { __index = facts })
  f.matrix.group = kernels.group(p, name, identity, own)
  f.matrix.group.users[#f.matrix.group.users + 1] = f
end

-- Whether a tile of that height takes matrices.
function matrix.takes(f, mr)
  return f.matrix ~= nil and mr >= f.matrix.least
end

return matrix
