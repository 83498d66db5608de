-- plan/kernels.lua: the kernels of a whole model on one instruction set, each once for all that use it. A kernel is
-- what it computes: two linears, or the attentions of two parts, that agree on it have one. A set that refines another
-- takes the kernels of that one in which none of its own words stands. Holds no C text.
local kept = require "formats.vocabulary.kept"
local multiply = require "formats.vocabulary.multiplied"
local tuning = require "plan.tuning"

local kernels = {}

-- No kernels yet of the model of that name. groups: in the order in which they were asked for; prefix: of their files;
-- linears, products: those that take them (plan/linear.lua); tuning: the parameters (plan/tuning.lua). wisdom: by names
-- of instruction sets the values of parameters, nil for none. base: the model's kernels on the set that this one
-- refines, which are planned before; nil: it refines none, or takes none of them. passes: what kernels of these sets
-- are passed besides because some take matrix registers: rows, of linears; height, of attention; nil: not known yet.
function kernels.new(model, set, wisdom, base, passes)
  local prefix = model .. "__" .. set.name
  return { model = model, set = set, base = base, groups = {}, of = {}, prefix = prefix,
    header = prefix .. "_kernels.h", linears = {}, products = {}, product_at = {},
    passes = base and base.passes or passes or {}, tuning = tuning.new(set.name, wisdom and wisdom[set.name]) }
end

-- Whether kernels of attention are passed the height of a tile, as those by matrix registers must be. All of a product
-- are called by one pointer.
function kernels.takes_height(p, by_matrix)
  local passes = p.kernels.passes
  passes.height = passes.height or by_matrix
  return passes.height
end

-- Values, of which none is nil, as one text, by which they are compared.
function kernels.key_of(values)
  local texts = {}
  for i, value in ipairs(values) do texts[i] = tostring(value) end
  return table.concat(texts, " ")
end

-- The group of that name and key, or nil; and the name that it has or would have: if another has it, with a number.
local function find(all, name, key)
  local number = 1
  local function numbered() return number == 1 and name or ("%s_%d"):format(name, number) end
  while all.of[numbered()] and all.of[numbered()].key ~= key do number = number + 1 end
  return all.of[numbered()], numbered()
end

-- Whether words that the set has, and the one that it refines has not, stand in the kernels of a group.
local function has_own_words(p, facts)
  local set, base = p.isa, p.kernels.base.set
  return facts.depth ~= nil or multiply.is_other(facts.X.name, set, base) or
    facts.X.groups ~= nil and kept.groups_differ(facts.X.groups.name, set, base)
end

-- The group of the refined set that is this one, or nil.
local function of_base(p, name, key, facts)
  local all = p.kernels
  if not all.base then return end
  if has_own_words(p, facts) then
    all.has_own = true
    return
  end
  local group = find(all.base, name, key)
  return group and (all.of[group.name] or group) == group and group or nil -- its name is not that of another one here
end

local function new_group(p, name, key, facts)
  local all, group = p.kernels, facts
  group.name, group.key, group.plan, group.kernels, group.of, group.users = name, key, p, {}, {}, {}
  group.file, group.all = ("%s_%s.c"):format(all.prefix, name), all
  all.passes.rows = all.passes.rows or facts.depth ~= nil
  return group
end

-- A group of kernels: those that compute one thing at different tiles, which is one file of C. identity: a list of all
-- that their code depends on beside the tile; facts: what else a group says of itself, by name, among it `template`, X
-- (of its products) and, where it takes matrix registers, depth. p: the plan that asks. group.all: the kernels of which
-- it is one; those of a set that refines another may be that one's.
function kernels.group(p, name, identity, facts)
  local all, key = p.kernels, kernels.key_of(identity)
  local group, free = find(all, name, key)
  if group then return group end
  group = of_base(p, name, key, facts) or new_group(p, free, key, facts)
  if not all.of[group.name] then all.groups[#all.groups + 1], all.of[group.name] = group, group end
  return group
end

-- A kernel's part of a symbol: "6x64" rows by columns, "1x4x64" by so many panels, "6x64_p2" that prefetches so many
-- lines in each turn of its loop, "6x64_p2_both" of both streams.
local function tile_of(group, kernel)
  local width = group.all.set.width
  local columns = kernel.tail and (kernel.nv - 1) * width + kernel.tail or kernel.nv * width
  local tile = kernel.np > 1 and ("%dx%dx%d"):format(kernel.mr, kernel.np, columns) or
    ("%dx%d"):format(kernel.mr, columns)
  local streams = kernel.asks_both and "_both" or ""
  return tile .. ((kernel.lines or 0) > 0 and ("_p%d%s"):format(kernel.lines, streams) or "")
end

-- The kernel of a group for a tile. tile: mr, nv (vectors of a panel); np (panels, 1 where it is left out) and apart
-- (bytes between them); tail (numbers in the last vector, nil for all of them); lines (that it prefetches in each turn
-- of its loop); asks_both (these of both streams); does: what it does beside its group, as a word.
function kernels.kernel(group, tile)
  local all = group.all
  tile.np = tile.np or 1
  local words = tile.does and group.name .. "_" .. tile.does or group.name
  tile.symbol = ("%s_%s_%s__%s"):format(all.model, words, tile_of(group, tile), all.set.name)
  if not group.of[tile.symbol] then
    group.kernels[#group.kernels + 1], group.of[tile.symbol] = tile, tile
  end
  return group.of[tile.symbol]
end

return kernels
