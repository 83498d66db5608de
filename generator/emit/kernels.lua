-- emit/kernels.lua: what the files of kernels, and the header that declares them, say of a group of kernels. Decides
-- nothing; every number comes from the plan.
local ranges = require "emit.ranges"

local kernels = {}

-- Who uses a group: the product of each part of the model, its name without the model's.
local function users_text(group)
  local names = {}
  for i, f in ipairs(group.users) do
    local part = f.part:sub(#group.all.model + 2)
    names[i] = (part ~= "" and part .. " " or "") .. f.op
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

-- One line on a group for the banner of its file: its highest and widest tile, and who uses it.
function kernels.facts(group)
  local set, registers, highest, widest = group.all.set, 0, 0, 0
  for _, f in ipairs(group.users) do registers = math.max(registers, f.registers) end
  for _, kernel in ipairs(group.kernels) do
    highest, widest = math.max(highest, kernel.mr), math.max(widest, kernel.nv * kernel.np * set.width)
  end
  return ("tiles of up to %d rows or %d columns, %d of %d vector registers, k unrolled by %d; for %s"):format(highest,
    widest, registers, set.registers, group.plan.spec.unroll, users_text(group))
end

return kernels
