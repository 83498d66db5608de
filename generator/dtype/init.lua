-- dtype/init.lua: element types in which packed weights and cached rows are kept, as tables of data, and the vocabulary
-- templates spell them with. Never says which weights: the plan gives each packed part its type.
--
-- Adding one is adding one file with these fields, and its name to NAMES:
--   name, bytes (of an element), type (C)
--   from_float, to_float       formats of C expressions: an element made of a float, and a float made of an element
--   load = { isa = format }    a vector of floats from the elements at a pointer; absent for floats themselves
--   helpers                    C functions that these call, where they call any
--   store = { isa = format }   a vector of floats to the elements at a pointer; absent for floats themselves
--   store_helpers = { isa = text }   C functions that this calls; none needed where helpers have them
-- One that keeps rows as whole numbers of a step of each row has besides
--   steps, largest             the name of the type in which steps are kept; the greatest magnitude of a number
--   enum                       its name in enum ga_dtype, which of others is theirs
-- A type that keeps numbers in groups has in the place of those from from_float on those of dtype/groups.lua:
--   group, unit                weights along depth that share a scale; those that lie in a word of a column
--   bits, zero, zero_steps     of a number; the number that stands for zero, or the parts of one that zeros are told in
--   bias                       the number in the middle, over which products with rows of digits are
--   scale                      what scales are kept as (dtype/groups.lua)
--   facts, column_bytes        bytes of a group's column before its words, and all of them
--   sets, helpers, needs       by instruction set: how it unpacks words; C functions; what needs() gives
local dtype = {}

local NAMES = { "f32", "bf16", "int8", "int4" }
local ROWS = { f32 = "f32", bf16 = "bf16", int8 = "int8_rows" } -- by the names that specs have
local NO_NEEDS = { cflags = {}, cpu = {} }

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

-- What a table by instruction set has for one, or for the one that it refines.
local function of_set(by_name, set)
  return by_name[set.name] or by_name[set.base]
end

-- The C text of the functions that a type's expressions call for an instruction set, "" where there are none.
function dtype.helpers(name, set)
  local helpers = dtype.get(name).helpers
  return type(helpers) == "table" and of_set(helpers, set) or helpers or ""
end

-- Those that a type in groups needs besides where rows are whole numbers too.
function dtype.number_helpers(name, set)
  return of_set(dtype.get(name).number_helpers, set)
end

-- What the compiler and the CPU must have for a type beside the set's own: arrays cflags, cpu.
function dtype.needs(name, set)
  local needs = dtype.get(name).needs
  return needs and of_set(needs, set) or NO_NEEDS
end

-- Weights of one column in `depth` rows of a panel, in bytes.
function dtype.column_bytes(name, depth)
  local t = dtype.get(name)
  return t.group and math.ceil(depth / t.group) * t.column_bytes or depth * t.bytes
end

-- What templates may say of a type that keeps numbers in groups: its fields, and those of the set.
local function of_groups(t, set)
  local own = of_set(t.sets, set) or error(("%s has no numbers for %s"):format(t.name, set.name), 3)
  local W = setmetatable({ word = own.word, numbers = own.numbers, digits = own.digits, bytes_of = own.bytes },
    { __index = t })
  function W.load_word(at) return own.load:format(at) end
  function W.column_bytes_of(depth) return dtype.column_bytes(t.name, depth) end
  return W
end

-- The C text of the functions that storing vectors of a type calls, "" where there are none.
function dtype.store_helpers(name, set)
  local helpers = dtype.get(name).store_helpers
  return helpers and of_set(helpers, set) or ""
end

-- What templates of one instruction set (a table of isa) may say of a type: type, bytes, is_float where elements are
-- floats, and as C expressions load(pointer), from_float(value), to_float(element), store(pointer, vector) and
-- cast(pointer), a pointer to floats as one to elements; of one that keeps numbers in groups also group, unit, facts,
-- column_bytes, word, load_word(pointer), and what groups' sets have; of one that keeps numbers of steps largest and
-- steps, the same of their type, otherwise nil.
function dtype.vocabulary(name, set)
  local t = dtype.get(name)
  if t.group then return of_groups(t, set) end
  local function spelled(format) return function(expression) return format:format(expression) end end
  local function own(word)
    return t[word] and (of_set(t[word], set) or error(("%s has no %s for %s"):format(name, word, set.name), 3))
  end
  local load, store = own("load"), own("store")
  return {
    name = t.name, type = t.type, bytes = t.bytes, is_float = not load,
    steps = t.steps and dtype.vocabulary(t.steps, set), largest = t.largest,
    load = load and spelled(load) or set.V.load,
    store = store and function(pointer, vector) return store:format(pointer, vector) end or set.V.store,
    from_float = spelled(t.from_float), to_float = spelled(t.to_float),
    column_bytes_of = function(depth) return dtype.column_bytes(name, depth) end,
    cast = load and spelled("(" .. t.type .. " *)%s") or spelled("%s"),
  }
end

return dtype
