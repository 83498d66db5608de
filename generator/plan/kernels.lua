-- plan/kernels.lua: the kernels of a whole model on one instruction set, each once for all that use it. A kernel is
-- what it computes: two linears, or the attentions of two parts, that agree on it have one. Holds no C text.
local tuning = require "plan.tuning"

local kernels = {}

-- No kernels yet of the model of that name. groups: in the order in which they were asked for; prefix: of their files;
-- linears, products: those that take them (plan/linear.lua); tuning: the parameters (plan/tuning.lua). wisdom: by names
-- of instruction sets the values of parameters, nil for none.
function kernels.new(model, set, wisdom)
  local prefix = model .. "__" .. set.name
  return { model = model, set = set, groups = {}, of = {}, prefix = prefix, header = prefix .. "_kernels.h",
    linears = {}, products = {}, product_at = {},
    tuning = tuning.new(set.name, wisdom and wisdom[set.name]) }
end

-- Values, of which none is nil, as one text, by which they are compared.
function kernels.key_of(values)
  local texts = {}
  for i, value in ipairs(values) do texts[i] = tostring(value) end
  return table.concat(texts, " ")
end

-- A group of kernels: those that compute one thing at different tiles, which is one file of C. identity: a list of all
-- that their code depends on beside the tile; facts: what else a group says of itself, by name, among it `template`.
-- p: the plan that asks. Another group of the same name gets a number.
function kernels.group(p, name, identity, facts)
  local all, key, number = p.kernels, kernels.key_of(identity), 1
  local function numbered() return number == 1 and name or ("%s_%d"):format(name, number) end
  while all.of[numbered()] and all.of[numbered()].key ~= key do number = number + 1 end
  local group = all.of[numbered()]
  if not group then
    group = facts
    group.name, group.key, group.plan, group.kernels, group.of, group.users = numbered(), key, p, {}, {}, {}
    group.file, group.all = ("%s_%s.c"):format(all.prefix, group.name), all
    all.groups[#all.groups + 1], all.of[group.name] = group, group
  end
  return group
end

-- A kernel's part of a symbol: "6x64" rows by columns, "1x4x64" by so many panels, "6x64_p2" that prefetches so many
-- lines in each turn of its loop.
local function tile_of(group, kernel)
  local width = group.all.set.width
  local columns = kernel.tail and (kernel.nv - 1) * width + kernel.tail or kernel.nv * width
  local tile = kernel.np > 1 and ("%dx%dx%d"):format(kernel.mr, kernel.np, columns) or
    ("%dx%d"):format(kernel.mr, columns)
  return tile .. ((kernel.lines or 0) > 0 and ("_p%d"):format(kernel.lines) or "")
end

-- The kernel of a group for a tile. tile: mr, nv (vectors of a panel); np (panels, 1 where it is left out) and apart
-- (bytes between them); tail (numbers in the last vector, nil for all of them); lines (that it prefetches in each turn
-- of its loop); does: what it does beside its group, as a word.
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
