-- dtype/init.lua: element types in which packed weights are kept, as tables of data, and the vocabulary templates spell
-- them with. Never says which weights: the plan gives each packed part its type.
--
-- Adding one is adding one file with these fields, and its name to NAMES:
--   name, bytes (of an element), type (C)
--   from_float, to_float       formats of C expressions: an element made of a float, and a float made of an element
--   load = { isa = format }    a vector of floats from the elements at a pointer; absent for floats themselves
--   helpers                    C functions that these call, where they call any
local dtype = {}

local NAMES = { "f32", "bf16" }

function dtype.names()
  return NAMES
end

-- The table of that name; one that is not known is a bug of the caller.
function dtype.get(name)
  for _, known in ipairs(NAMES) do
    if known == name then return require("dtype." .. name) end
  end
  error(("no element type is called '%s'"):format(tostring(name)), 2)
end

-- The C text of the functions that a type's expressions call, "" where there are none.
function dtype.helpers(name)
  return dtype.get(name).helpers or ""
end

-- What templates of one instruction set (a table of isa) may say of a type: type, bytes, and as C expressions
-- load(pointer), from_float(value) and to_float(element).
function dtype.vocabulary(name, set)
  local t = dtype.get(name)
  local function spelled(format) return function(expression) return format:format(expression) end end
  local load = t.load and (t.load[set.name] or error(("%s has no load for %s"):format(name, set.name), 2))
  return {
    name = t.name, type = t.type, bytes = t.bytes, load = load and spelled(load) or set.V.load,
    from_float = spelled(t.from_float), to_float = spelled(t.to_float),
  }
end

return dtype
