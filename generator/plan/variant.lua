-- plan/variant.lua: what a model's table of facts says of one instruction set: its kernels, and how they read cached
-- keys and values. Holds no C text.

-- How a plan's kernels read cached keys and values.
local function cache_layout(p)
  local as = p.cached_as
  local is_narrow = as.unit > 1 or as.has_sums or as.depth > p.spec.d_head
  return { key_panel = p.key_panel, value_stride = p.value_stride, lanes = is_narrow and as or false }
end

-- The tiles of a plan's kernels, each once: { name, what, why, rows, columns }; what: of all that take it.
local function tiles_of(p)
  local list, seen = {}, {}
  for _, f in ipairs(p.families) do
    local name = ("%s_%s%s__%s"):format(p.kernels.model, f.group.name, f.does and "_" .. f.does or "",
      f.group.all.set.name)
    local key = ("%s %dx%d"):format(name, f.mr, f.columns)
    local tile = seen[key]
    if not tile then
      tile = { name = name, why = f.why, rows = f.mr, columns = f.columns, whats = {}, said = {} }
      list[#list + 1], seen[key] = tile, tile
    end
    tile.whats[#tile.whats + 1], tile.said[f.what] = not tile.said[f.what] and f.what or nil, true
  end
  for _, tile in ipairs(list) do tile.what = table.concat(tile.whats, "; ") end
  return list
end

-- kernels: { name, what, why, rows, columns } of each tile; cache, memory_cache: layouts, false where there is none.
return function(p)
  local memory, has_cache = (p.decoder or p).memory, p.spec.cache
  return {
    kernels = tiles_of(p), cache = has_cache and cache_layout(p.attention or p) or false,
    memory_cache = has_cache and memory and cache_layout(memory) or false,
  }
end
