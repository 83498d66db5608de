-- tensor.lua: numbers of one element type and one shape, whose bounds are kept: x[i] from 1 on, row-major, x:at(i, j,
-- k), x.shape, x.n. Computes nothing. Memory is a buffer of the library's binding, in x.data, whose indices begin at 0.
local numbers = require "genattn.numbers"

local tensor = {}

local methods = {}
-- What buffers there are.
local KINDS = { f32 = true, i32 = true, u8 = true }
-- Of those of whole numbers, the least and the largest. C would cut others to these bits.
local LIMITS = { i32 = { -2 ^ 31, 2 ^ 31 - 1 }, u8 = { 0, 255 } }
-- Elements that a tensor may have.
local MOST = 2 ^ 40

local function shape_text(shape)
  return "[" .. table.concat(shape, ", ") .. "]"
end

tensor.shape_text = shape_text

local function outside(x, index)
  error(("%s: index %s is outside 1..%d"):format(x.name, tostring(index), x.n), 3)
end

-- A number that the tensor can hold.
local function held(x, number)
  local limits = LIMITS[x.kind]
  return limits and numbers.whole(x.name .. ": a number", number, limits[1], limits[2]) or number
end

local metatable = {}

function metatable.__index(x, index)
  if type(index) ~= "number" then return methods[index] end
  if not (index >= 1 and index <= x.n) or index % 1 ~= 0 then outside(x, index) end
  return x.data[index - 1]
end

function metatable.__newindex(x, index, number)
  if type(index) ~= "number" then error(("%s: a tensor has no field %s"):format(x.name, tostring(index)), 2) end
  if not (index >= 1 and index <= x.n) or index % 1 ~= 0 then outside(x, index) end
  x.data[index - 1] = held(x, number)
end

function metatable.__tostring(x)
  return ("%s: %s %s"):format(x.name, x.kind, shape_text(x.shape))
end

-- The number at a place, one index for each axis, each from 1 on.
function methods.at(x, ...)
  return x.data[x:offset(...)]
end

-- Writes the number at a place: x:put(number, i, j, k).
function methods.put(x, number, ...)
  x.data[x:offset(...)] = held(x, number)
end

-- The offset in x.data of a place.
function methods.offset(x, ...)
  local shape, offset = x.shape, 0
  if select("#", ...) ~= #shape then
    error(("%s: %d indices for %s"):format(x.name, select("#", ...), shape_text(shape)), 3)
  end
  for axis = 1, #shape do
    local index = select(axis, ...)
    if type(index) ~= "number" or not (index >= 1 and index <= shape[axis]) or index % 1 ~= 0 then
      error(("%s: index %s of axis %d is outside 1..%d"):format(x.name, tostring(index), axis, shape[axis]), 3)
    end
    offset = offset * shape[axis] + index - 1
  end
  return offset
end

-- All numbers as an array of Lua.
function methods.values(x)
  local values, data = {}, x.data
  for i = 1, x.n do values[i] = data[i - 1] end
  return values
end

-- Takes all numbers from an array of Lua, or makes all of them one number. Returns the tensor.
function methods.fill(x, values)
  local data = x.data
  if type(values) == "number" then
    values = held(x, values)
    for i = 0, x.n - 1 do data[i] = values end
    return x
  end
  if type(values) ~= "table" or #values ~= x.n then
    error(("%s: %s numbers for %s"):format(x.name, type(values) == "table" and #values or "no", shape_text(x.shape)), 2)
  end
  for i = 1, x.n do data[i - 1] = held(x, values[i]) end
  return x
end

local function elements(name, shape)
  local n = 1
  for _, size in ipairs(shape) do
    if type(size) ~= "number" or size < 0 or size % 1 ~= 0 then
      error(("%s: shape %s; expected whole numbers"):format(name, shape_text(shape)), 4)
    end
    if n * (size + 0.0) > MOST then error(("%s: shape %s is too large"):format(name, shape_text(shape)), 4) end
    n = n * size
  end
  return n
end

function tensor.is(x)
  return getmetatable(x) == metatable
end

-- A tensor of zeros, or of `values`, an array of Lua or a number. kind: "f32" if nil, or "i32" or "u8"; name: what
-- errors call it. buffer(kind, n) makes its memory.
function tensor.new(buffer, shape, values, name, kind)
  kind, name = kind or "f32", name or "tensor"
  if type(shape) ~= "table" then error(("%s: shape is %s; expected an array"):format(name, type(shape)), 3) end
  if not KINDS[kind] then error(("%s: kind is %s; expected f32, i32 or u8"):format(name, tostring(kind)), 3) end
  local own = {}
  for i, size in ipairs(shape) do own[i] = size end
  local n = elements(name, own)
  local x = setmetatable({ name = name, kind = kind, shape = own, n = n, data = buffer(kind, n) }, metatable)
  if values then x:fill(values) end
  return x
end

-- The shape of arrays within arrays, { { 1, 2, 3 }, { 4, 5, 6 } } as { 2, 3 }, and their numbers in order; nil where
-- their lengths differ.
function tensor.flatten(nested)
  local shape, values = {}, {}
  local function visit(item, depth)
    if type(item) ~= "table" then
      values[#values + 1] = item
      return type(item) == "number" and shape[depth] == nil
    end
    if values[1] == nil and shape[depth] == nil then shape[depth] = #item end
    if shape[depth] ~= #item then return false end
    for _, one in ipairs(item) do
      if not visit(one, depth + 1) then return false end
    end
    return true
  end
  if visit(nested, 1) then return shape, values end
end

return tensor
