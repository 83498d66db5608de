-- plan/maps.lua: a name map and the spec's roles -> where each role lies in a file, as numbers.
-- Knows shapes; reads no file.
local blocks = require "ops"
local features = require "attention"
local maps = require "import.maps"
local modifiers = require "attention.modifiers"

-- First row of a linear with `own` rows in tensors that hold up and gate stacked, or q, k and v; and the rows of all.
local function stacked_rows(spec, projection, own)
  if projection == "up" or projection == "gate" then return projection == "up" and 0 or own, 2 * own end
  local q, kv = spec.n_heads * spec.d_head, spec.n_kv_heads * spec.d_head
  if spec.shared_heads then q, kv = spec.d_head, spec.d_head end
  return ({ q = 0, k = q, v = q + kv })[projection], q + 2 * kv
end

-- The roles that their owners list under a key, as a set.
local function listed(owners, key, set)
  for _, owner in ipairs(owners) do
    for _, role in ipairs(owner[key] or {}) do set[role] = true end
  end
  return set
end

-- Tables that are looked up and not linears, so that no file holds them [in, out].
local AS_IS = listed(modifiers, "weights", listed(features, "looked_up", listed(blocks, "looked_up", {})))

-- Roles whose names have no prefix, as they are outside the model that the prefix names; by whether that is a stack.
local BESIDE = { [false] = listed(features, "beside", {}), [true] = listed(blocks, "beside", {}) }

-- Whether no prefix stands before the name of a role.
local function is_beside(spec, map, role)
  return BESIDE[spec.stack][role] == true and not (map.inside and map.inside[role])
end

-- A name as the file has it.
local function in_file(spec, map, role, tensor)
  return is_beside(spec, map, role) and tensor or (spec.weights_prefix or "") .. tensor
end

-- { role, tensor, shape, first, transposed, beside, by_head } of one role.
local function source(spec, map, index, role)
  local tensor, stacked = maps.source(spec, map, role.name)
  local shape, first = { role.shape[1], role.shape[2] }, 0
  local transposed = map.transposed == true and #shape == 2 and not AS_IS[role.name]
  if stacked then
    local row, rows = stacked_rows(spec, role.name:match("(%l+)_%a+$"), shape[1])
    shape[1] = rows
    first = transposed and row or row * (shape[2] or 1)
  end
  if transposed then shape = { shape[2], shape[1] } end
  return {
    role = index - 1, tensor = in_file(spec, map, role.name, tensor), shape = shape, first = first,
    transposed = transposed, beside = is_beside(spec, map, role.name),
    by_head = stacked and map.by_head and spec.n_heads or 0,
  }
end

-- The sources of every role in role order, and the tensors a file must not hold, as { role, tensor, beside }.
return function(spec, map)
  local sources, refused = {}, maps.refused(spec, map)
  for index, role in ipairs(spec.roles) do sources[index] = source(spec, map, index, role) end
  for _, entry in ipairs(refused) do
    entry.tensor = in_file(spec, map, entry.role, entry.tensor)
    entry.beside = is_beside(spec, map, entry.role)
  end
  return sources, refused
end
