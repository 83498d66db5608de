-- plan/variant.lua: what a model's table of facts says of one instruction set: its kernels, and how they read cached
-- keys and values. Holds no C text.

-- How a plan's kernels read cached keys and values.
local function cache_layout(p)
  local as = p.cached_as
  local is_narrow = as.unit > 1 or as.has_sums or as.depth > p.spec.d_head
  return { key_panel = p.key_panel, value_stride = p.value_stride, lanes = is_narrow and as or false }
end

-- kernels: { name, what, why, rows, columns } of each family's tile; cache, memory_cache: layouts, false where there is
-- none.
return function(p)
  local memory, has_cache, kernels = (p.decoder or p).memory, p.spec.cache, {}
  for i, f in ipairs(p.families) do
    kernels[i] = { name = f.name, what = f.what, why = f.why, rows = f.mr, columns = f.nv * p.isa.width }
  end
  return {
    kernels = kernels, cache = has_cache and cache_layout(p.attention or p) or false,
    memory_cache = has_cache and memory and cache_layout(memory) or false,
  }
end
