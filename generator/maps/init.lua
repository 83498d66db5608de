-- maps/init.lua: the weight-name maps that ship, one data file each, and how a map answers for one weight.
-- A map is a table like a spec's `weights` field; qkv_weight and qkv_bias hold q, k and v stacked by rows.
local maps = {}

local NAMES = { "w_o", "w_concat", "proj", "torch_mha", "llama", "qwen3" }

function maps.names()
  return NAMES
end

-- The map of that name, or nil.
function maps.get(name)
  for _, known in ipairs(NAMES) do
    if known == name then return require("maps." .. name) end
  end
end

local STACKED = { q = true, k = true, v = true }

-- Whether a tensor can hold q, k and v of this part by rows: weights only where their inputs are equally wide.
local function can_stack(spec, part)
  return part ~= "weight" or (spec.k_dim == spec.d_model and spec.v_dim == spec.d_model)
end

-- The tensor that holds a role: its name and whether q, k and v are stacked in it; nil where the map names none. Names
-- under `apart` serve where what the map stacks cannot be.
function maps.source(spec, map, role)
  if map[role] then return map[role], false end
  local projection, part = role:match("^(%a)_(%a+)$")
  local stacked = projection and STACKED[projection] and map["qkv_" .. part]
  if stacked and can_stack(spec, part) then return stacked, true end
  return map.apart and map.apart[role], false
end

return maps
