-- emit/kernels.lua: what the files of kernels, and the header that declares them, say of a group of kernels. Decides
-- nothing; every number comes from the plan.
local ranges = require "emit.ranges"

local kernels = {}

-- Who uses a group: the product of each part of the model, its name without the model's.
local function users_text(group)
  local names, seen = {}, {}
  for _, f in ipairs(group.users) do
    local part = f.part:sub(#group.all.model + 2)
    local name = (part ~= "" and part .. " " or "") .. f.op
    names[#names + 1], seen[name] = not seen[name] and name or nil, true -- variants have products of the same names
  end
  return table.concat(names, ", ")
end

-- The groups of a model with users_text, and row_ranges of those that know where ranges of keys begin.
function kernels.groups(all)
  local list = {}
  for i, group in ipairs(all.groups) do
    local words = ranges.words({ key_lower_bound = group.begins_late })
    list[i] = setmetatable({ users_text = users_text(group), row_ranges = words.row_ranges }, { __index = group })
  end
  return list
end

-- A statement for each row and vector of a tile, a line each: of(m, n).
function kernels.tile(mr, nv, of)
  local lines = {}
  for m = 0, mr - 1 do
    for n = 0, nv - 1 do lines[#lines + 1] = of(m, n) .. ";" end
  end
  return table.concat(lines, "\n")
end

-- The columns of a kernel that multiplies panels of weights: vectors, of which the last may be its first lanes alone;
-- count: of columns; panel_at(n): bytes to the panel of vector n; load(from, n), store(to, n, v): vector n in C.
function kernels.columns(kernel, V)
  local tail, vectors = kernel.tail or 0, kernel.nv * kernel.np
  local whole = tail > 0 and vectors - 1 or vectors
  return {
    vectors = vectors, count = whole * V.width + tail,
    panel_at = function(n) return (n - n % kernel.nv) / kernel.nv * (kernel.apart or 0) end,
    load = function(from, n) return n < whole and V.load(from) or ("vec_load_tail(%s, %d)"):format(from, tail) end,
    store = function(to, n, v)
      return n < whole and V.store(to, v) or ("vec_store_tail(%s, %s, %d)"):format(to, v, tail)
    end,
  }
end

-- One line on a group for the banner of its file: its highest and widest tile, and who uses it.
function kernels.facts(group)
  local set, registers, highest, widest = group.all.set, 0, 0, 0
  for _, f in ipairs(group.users) do registers = math.max(registers, f.registers) end
  for _, kernel in ipairs(group.kernels) do
    highest, widest = math.max(highest, kernel.mr), math.max(widest, kernel.nv * kernel.np * set.width)
  end
  if group.depth then
    return ("tiles of up to %d rows or %d columns by matrix registers; for %s"):format(highest, widest,
      users_text(group))
  end
  return ("tiles of up to %d rows or %d columns, %d of %d vector registers, k unrolled by %d; for %s"):format(highest,
    widest, registers, set.registers, group.plan.spec.unroll, users_text(group))
end

return kernels
