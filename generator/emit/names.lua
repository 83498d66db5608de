-- emit/names.lua: names for templates that lie in several tables: a field of a plan or of a spec is a name by itself.
-- Holds no name.
local names = {}

-- The table `own`, which has beside its own names those of the others, of each the first that is not nil.
function names.over(own, ...)
  local others = { ... }
  return setmetatable(own, { __index = function(_, name)
    for _, other in ipairs(others) do
      local value = other[name]
      if value ~= nil then return value end
    end
  end })
end

return names
