-- emit/layer.lua: what the layer's template needs beside the plan itself: tables of kernels and counts as C text.
-- Decides nothing; every number comes from the plan.
local layer = {}

-- NULL-led lists of kernel symbols by height, as the layer's tables hold them.
function layer.kernel_list(family, nv)
  local symbols = {}
  for _, kernel in ipairs(family.kernels) do
    if kernel.nv == nv and not kernel.part then symbols[kernel.mr] = kernel.symbol end
  end
  return table.concat(symbols, ", ")
end

-- The same for panel i of a family's cover; the last panel may have kernels of its own.
function layer.panel_kernels(family, i)
  local nv = family.widths[i]
  if i < #family.widths or (family.part or 0) == 0 then return layer.kernel_list(family, nv) end
  local symbols = {}
  for _, kernel in ipairs(family.kernels) do
    if kernel.part then symbols[kernel.mr] = kernel.symbol end
  end
  return table.concat(symbols, ", ")
end

-- A buffer's size in floats, in the layer's terms q_rows, kv_rows and panels.
function layer.buffer_count(buffer)
  if buffer.per_q then return ("q_rows * %d"):format(buffer.per_q) end
  if buffer.per_kv then return ("kv_rows * %d"):format(buffer.per_kv) end
  if buffer.panels then return ("panels * %d"):format(buffer.panels) end
  return ("%d"):format(buffer.fixed)
end

-- The four linears with the indices of their roles; bias is false where the spec has none.
function layer.linears(spec)
  local at = {}
  for i, role in ipairs(spec.roles) do at[role.name] = i - 1 end
  local list = {}
  for _, name in ipairs({ "q", "k", "v", "o" }) do
    list[#list + 1] = { name = name, weight = at[name .. "_weight"], bias = at[name .. "_bias"] or false }
  end
  return list, at.embedding or 0
end

return layer
