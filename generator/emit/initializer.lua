-- initializer.lua: fields of a struct, as a feature lists them, as an initializer in C. Knows no struct.
local fmt = require "base.fmt"

local function value_text(value)
  if type(value) == "number" then return fmt.double(value) end
  if type(value) == "boolean" then return tostring(value) end
  if type(value) == "string" then return "GA_" .. value end
  local numbers = {}
  for i, number in ipairs(value) do numbers[i] = fmt.double(number) end
  return "(const double[]){" .. table.concat(numbers, ", ") .. "}"
end

-- list: { name, value } of each field that is not 0; a value is a number, a boolean, the end of the name of a constant
-- of the runtime (it begins with GA_), or a list of doubles, at file scope.
return function(list)
  local texts = {}
  for i, field in ipairs(list) do texts[i] = (".%s = %s"):format(field[1], value_text(field[2])) end
  return "{" .. table.concat(texts, ", ") .. "}"
end
