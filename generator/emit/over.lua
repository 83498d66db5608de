-- emit/over.lua: names for templates that lie in several tables: a field of a plan or of a spec is a name by itself.
-- Holds no name.

-- The table `own`, which has besides its own names those of the others, of each name the first value that is not nil.
return function(own, ...)
  local others = { ... }
  return setmetatable(own, { __index = function(_, name)
    for _, other in ipairs(others) do
      local value = other[name]
      if value ~= nil then return value end
    end
  end })
end
