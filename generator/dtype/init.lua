-- dtype/init.lua: element types in which packed weights and cached rows are kept, as tables of data, and the vocabulary
-- templates spell them with. Never says which weights: the plan gives each packed part its type.
--
-- Adding one is adding one file with these fields, and its name to NAMES:
--   name, bytes (of an element), type (C)
--   from_float, to_float       formats of C expressions: an element from a float, and a float from an element
--   load, store                words of instruction sets (isa/vocabulary): a vector of floats from the elements at a
--                              pointer, and to them; absent for floats themselves
--   helpers                    C functions that from_float and to_float call, where they call any
-- One that keeps rows as whole numbers of a step of each row has besides
--   steps, largest             the name of the type in which steps are kept; the greatest magnitude of a number
--   enum                       its name in enum ga_dtype, which of others is theirs
-- A type that keeps numbers in groups has in the place of those from from_float on those of dtype/groups.lua:
--   group, unit                weights along depth that share a scale; those that lie in a word of a column
--   bits, zero, zero_steps     of a number; the number that stands for zero, or the parts of one that zeros are told in
--   bias                       the number in the middle, over which products with rows of digits are
--   scale                      what scales are kept as (dtype/groups.lua)
--   facts, column_bytes        bytes of a group's column before its words, and all of them
local groups = require "dtype.groups"

local dtype = {}

local NAMES = { "f32", "bf16", "int8", "int4" }
local ROWS = { f32 = "f32", bf16 = "bf16", int8 = "int8_rows" } -- by the names that specs have

function dtype.names()
  return NAMES
end

-- Those in which rows may be kept that come one by one.
function dtype.rows()
  local list = {}
  for _, name in ipairs(NAMES) do list[#list + 1] = ROWS[name] and name or nil end
  return list
end

-- The name of the table by which rows are kept in one of these; nil for nil.
function dtype.of_rows(name)
  return name and ROWS[name]
end

-- Hands add the parts of packed weights (ops/init.lua) that a role takes whose rows are kept so, by the type's name
-- there: its elements, and the scales of all rows where it has them.
function dtype.add_rows(add, role, rows, columns, name)
  local t = dtype.get(ROWS[name])
  local scales = t.steps and role .. "_scales" or nil
  local kind = t.load and "rows" or "copy" -- nothing is converted to floats
  add(role, rows * columns, { { kind = kind, role = role, rows = rows, columns = columns, scales_part = scales,
    dtype = dtype.enum_of_rows(name) } }, ROWS[name])
  if scales then add(scales, rows, nil, t.steps) end
end

-- What enum ga_dtype calls elements of such rows.
function dtype.enum_of_rows(name)
  return dtype.get(ROWS[name]).enum or name:upper()
end

-- The table of that name; one that is not known is a bug of the caller.
function dtype.get(name)
  for _, known in ipairs(NAMES) do
    if known == name or ROWS[known] == name then return require("dtype." .. name) end
  end
  error(("no element type is called '%s'"):format(tostring(name)), 2)
end

-- C functions of a type's single elements, "" where there are none.
function dtype.helpers(name)
  return dtype.get(name).helpers or ""
end

-- What vectors of a type call and need of an instruction set where they are loaded, and with `stores` where they are
-- stored: helpers, C texts; arrays cflags, cpu.
function dtype.needs(name, set, stores)
  local t = dtype.get(name)
  return t.group and groups.needs(t, set) or set.needs({ t.load or "load", stores and t.store or nil })
end

-- Weights of one column in `depth` rows of a panel, in bytes.
function dtype.column_bytes(name, depth)
  local t = dtype.get(name)
  return t.group and math.ceil(depth / t.group) * t.column_bytes or depth * t.bytes
end

-- What templates of one instruction set (a table of isa) may say of a type: type, bytes, is_float where elements are
-- floats, and as C expressions load(pointer), from_float(value), to_float(element), store(pointer, vector) and
-- cast(pointer), a pointer to floats as one to elements; of one that keeps numbers in groups also group, unit, facts,
-- column_bytes, and what groups.vocabulary has; of one that keeps numbers of steps largest and
-- steps, the same of their type, otherwise nil.
function dtype.vocabulary(name, set)
  local t, V = dtype.get(name), set.V
  local function column_bytes_of(depth) return dtype.column_bytes(name, depth) end
  if t.group then
    local W = groups.vocabulary(t, set)
    W.column_bytes_of = column_bytes_of
    return W
  end
  local function spelled(format) return function(expression) return format:format(expression) end end
  return {
    name = t.name, type = t.type, bytes = t.bytes, is_float = not t.load,
    steps = t.steps and dtype.vocabulary(t.steps, set), largest = t.largest,
    load = V[t.load or "load"], store = V[t.store or "store"],
    from_float = spelled(t.from_float), to_float = spelled(t.to_float), column_bytes_of = column_bytes_of,
    cast = t.load and spelled("(" .. t.type .. " *)%s") or spelled("%s"),
  }
end

return dtype
