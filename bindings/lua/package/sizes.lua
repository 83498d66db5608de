-- sizes.lua: batch and lengths of a call, as its tensors tell them one after the other. Knows no tensor by name.
local tensor = require "genattn.tensor"

local Sizes = {}
Sizes.__index = Sizes

local WORDS = { B = "batch", Q = "q_len", K = "kv_len", E = "keys" }

local function expected_text(sizes, expected)
  local words = {}
  for i, axis in ipairs(expected) do words[i] = tostring(sizes[axis] or WORDS[axis] or axis) end
  return "[" .. table.concat(words, ", ") .. "]"
end

function Sizes:refuse(name, shape, expected)
  error(("%s: %s has shape %s; expected %s"):format(self.model, name, tensor.shape_text(shape),
    expected_text(self, expected)), 0)
end

-- Compares a shape, and takes from it what is not known yet.
function Sizes:match(name, shape, expected)
  if #shape ~= #expected then self:refuse(name, shape, expected) end
  for i, axis in ipairs(expected) do
    if (WORDS[axis] and self[axis] or WORDS[axis] and shape[i] or axis) ~= shape[i] then
      self:refuse(name, shape, expected)
    end
  end
  for i, axis in ipairs(expected) do
    if WORDS[axis] then self[axis] = shape[i] end
  end
end

-- A shape in numbers. Where no keys are given they are the rows of query.
function Sizes:fill(expected, extra_keys)
  local keys, shape = self.K or self.Q or 0, {}
  local values = { B = self.B or 0, Q = self.Q or 0, K = keys, E = keys + extra_keys }
  for i, axis in ipairs(expected) do shape[i] = values[axis] or axis end
  return shape
end

-- Elements from one sequence, head, query and key to the next, of a mask of any shape that spreads over `expected`.
function Sizes:strides(name, shape, expected)
  local strides, step, missing = { 0, 0, 0, 0 }, 1, #expected - #shape
  if missing < 0 then self:refuse(name, shape, expected) end
  for i = #shape, 1, -1 do
    if shape[i] ~= 1 and shape[i] ~= expected[i + missing] then self:refuse(name, shape, expected) end
    strides[i + missing] = shape[i] == 1 and 0 or step
    step = step * shape[i]
  end
  return strides
end

-- model: its name, for messages.
return function(model)
  return setmetatable({ model = model }, Sizes)
end
