-- arithmetic/init.lua: how rows are multiplied by packed weights, as tables of data: element types of both, how many
-- elements of depth one lane takes, and the instructions. Never says which product: the plan gives each its arithmetic.
--
-- Adding one is adding one file of its name, and the name to NAMES. f32 makes its words of those of vectors and of a
-- weights dtype; another one multiplies integers, and its file has
--   sum                        products that one running sum takes at most: so many cannot leave 32 bits
--   largest_row, is_offset     steps from zero to a row's largest magnitude; or with is_offset those from its least to
--                              its greatest number, zero included
--   weight_scale               C: what one step of a column's weights is worth, of `largest` and `total`, the greatest
--                              magnitude of those of one running sum and the sum of all
--   sets = { isa = table }     where it runs:
--     row, panel               element types of both: name, type (C), bytes
--     unit                     elements of depth that lie side by side in a lane, of rows and of panels
--     header                   elements of a panel's column that stand before those of each running sum: its scale, and
--                              with has_offset the sum of its weights
--     has_offset               whether rows hold their distance from their least number, which is what zero is then
--     vector, sum              C types: of what is loaded, and of a running sum
--     zero                     a running sum before its first product; with has_offset of minus what the row's zero
--                              is, and where the sums of weights are
--     splat, load, to_floats   of an element in depth, of a pointer, of a running sum
--     store                    of a pointer and a vector of whole floats, as elements of a row
--     dot(a, b, sum)           C
--     helpers                  C functions that these call, nil for none
--     cflags, cpu              what the compiler and the CPU must have beside the instruction set's own
local dtype = require "dtype"

local arithmetic = {}

local NAMES = { "f32", "i16", "int8" }
local DEPTH_STEP = 4 -- depths are padded to whole ones: the most elements that any lane takes

function arithmetic.names()
  return NAMES
end

-- The table of that name; one that is not known is a bug of the caller.
function arithmetic.get(name)
  for _, known in ipairs(NAMES) do
    if known == name then return require("arithmetic." .. name) end
  end
  error(("no arithmetic is called '%s'"):format(tostring(name)), 2)
end

-- Whether it runs on an instruction set.
function arithmetic.runs_on(name, set)
  local sets = arithmetic.get(name).sets
  return not sets or sets[set.name] ~= nil
end

-- What the compiler and the CPU must have for it beside the set's own: arrays cflags, cpu.
function arithmetic.needs(name, set)
  local sets = arithmetic.get(name).sets
  return sets and sets[set.name] or { cflags = {}, cpu = {} }
end

-- A depth of rows and panels with its padding.
function arithmetic.padded(name, depth)
  return arithmetic.get(name).sets and math.ceil(depth / DEPTH_STEP) * DEPTH_STEP or depth
end

-- Lengths of running sums are whole ones of it.
function arithmetic.step(name)
  return arithmetic.get(name).sets and DEPTH_STEP or 1
end

-- What templates may say of products of integers. They name scale<m> and offset<m> of row m, and `header`, what stands
-- in a panel before a running sum.
local function of_integers(A, set, V)
  local X = { name = A.name, is_integer = true, is_offset = A.is_offset, largest_row = A.largest_row,
    weight_scale = A.weight_scale }
  for key, value in pairs(set) do X[key] = value end
  for _, word in ipairs({ "splat", "load", "to_floats", "store" }) do
    X[word] = function(...) return set[word]:format(...) end
  end
  function X.start(m, sums)
    return set.has_offset and set.zero:format("offset" .. m, sums) or set.zero
  end
  function X.total(sum, m, scales, before)
    return V.add(V.mul(X.to_floats(sum), V.mul("scale" .. m, V.load(scales))), before)
  end
  return X
end

-- What templates may say of it for an instruction set, and the dtype of weights where these are floats to it: row,
-- panel, unit, header, vector, sum, splat, load and dot as above, and
--   start(m, sums)                 a running sum of row m before its first product
--   total(sum, m, scales, before)  the floats of a running sum of row m, joined to those before
-- sums, scales: pointers to what the header has of the sum's columns.
function arithmetic.vocabulary(name, set, weights_dtype)
  local A = arithmetic.get(name)
  if A.vocabulary then return A.vocabulary(set, dtype.vocabulary(weights_dtype, set)) end
  return of_integers(A, A.sets[set.name], set.V)
end

return arithmetic
