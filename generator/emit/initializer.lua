-- initializer.lua: fields of a struct, as whoever has them lists them, as an initializer in C. Knows no struct.
--
-- A list has { designator, value } of each field; a value that is nil or false leaves the field 0. Else it is true, a
-- number, the end of the name of a constant of the runtime (it begins with GA_), a list of doubles, or
-- { type = of an array's elements, their C }. An array is one at file scope.
local fmt = require "base.fmt"

local initializer = {}

local function number_text(value)
  local is_whole = value == math.floor(value) and math.abs(value) <= 2 ^ 53
  return is_whole and fmt.int(value) or fmt.double(value)
end

local function array_text(value)
  if value.type then return ("(const %s[]){%s}"):format(value.type, value[1]) end
  local numbers = {}
  for i, number in ipairs(value) do numbers[i] = fmt.double(number) end
  return "(const double[]){" .. table.concat(numbers, ", ") .. "}"
end

local TEXTS = {
  number = number_text, boolean = tostring, table = array_text,
  string = function(value) return "GA_" .. value end,
}

-- Each field of a list as ".designator = value".
function initializer.fields(list)
  local texts = {}
  for _, field in ipairs(list) do
    local value = field[2]
    texts[#texts + 1] = value and (".%s = %s"):format(field[1], TEXTS[type(value)](value)) or nil
  end
  return texts
end

-- All of them in braces.
function initializer.braces(list) return "{" .. table.concat(initializer.fields(list), ", ") .. "}" end

-- Values in order, numbers or C, in braces as a line of an array's.
function initializer.row(...)
  local texts = { ... }
  for i, value in ipairs(texts) do texts[i] = type(value) == "number" and fmt.int(value) or value end
  return "{" .. table.concat(texts, ", ") .. "},"
end

return initializer
