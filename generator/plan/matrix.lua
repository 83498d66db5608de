-- plan/matrix.lua: which products take matrix registers, of rows with packed weights and of attention, from which
-- height of a tile on, and the kernels that do. Lower tiles take vectors. Knows no instruction set.
local kernels = require "plan.kernels"

local matrix = {}

-- By whether weights are in groups: the fewest rows that take less time than by vectors (measured on an Intel Xeon,
-- family 6 model 167); and lines that each turn of a kernel's loop prefetches: four tiles of rows prefetch a whole
-- panel. Kernels of groups, whose tiles have more rows, prefetch their own.
local USES = { [false] = { least = 5, lines = 8 }, [true] = { least = 8, lines = 0 } }

-- Of attention: products of a query with all keys, fewer of which take no longer by vectors (measured there).
local LEAST_PRODUCTS = 4096

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

-- Gives a product f.matrix: depth: bytes that an instruction multiplies; least: the rows of the lowest tile; lines: as
-- plan_prefetches has them. Its tiles are then as high as matrices are.
local function take(f, X, depth, least, lines)
  f.matrix = { depth = depth, least = least, lines = lines }
  f.mr, f.lone = X.matrix.rows, X.matrix.rows
end

-- Gives it to a product of rows with packed weights, where its sums fit.
function matrix.plan(f)
  local depth = f.X.matrix and depth_of(f.sums, f.X.matrix.depths)
  local use = USES[f.X.in_groups or false]
  if depth then take(f, f.X, depth, use.least, use.lines) end
end

-- Gives it to attention's two products, which share their tiles: both, or neither; p.matrix_keys: fewer keys are faster
-- by vectors, which then take tiles as high as registers have room for. Not where a cache keeps the values, which has
-- no more of them than keys: products read them up to a whole depth.
function matrix.plan_attention(p)
  local X = p.attended.X
  local depths = X.matrix and not p.attended.reads_cache and X.matrix.depths or {}
  local of_scores = depth_of({ { length = p.attended.depth } }, depths)
  local of_values = depth_of({ { length = p.value_keys } }, depths)
  if not (of_scores and of_values) then return end
  p.matrix_keys = math.max(of_values, math.floor(LEAST_PRODUCTS / p.attended.depth))
  take(p.score, X, of_scores, p.score.mr + 1, 0)
  take(p.value, X, of_values, p.value.mr + 1, 0)
end

-- Takes the group of these kernels: template: theirs; identity, facts: as kernels.group has them, of the kernels of
-- vectors.
function matrix.take_group(f, p, name, template, identity, facts)
  if not f.matrix then return end
  identity[#identity + 1] = f.matrix.depth
  local own = setmetatable({ template = template, depth = f.matrix.depth }, { __index = facts })
  f.matrix.group = kernels.group(p, name, identity, own)
  f.matrix.group.users[#f.matrix.group.users + 1] = f
end

-- Whether a tile of that height takes matrices.
function matrix.takes(f, mr)
  return f.matrix ~= nil and mr >= f.matrix.least
end

return matrix
