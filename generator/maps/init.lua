-- maps/init.lua: the weight-name maps that ship, one data file each, and how a map answers for one weight.
-- A map is a table like a spec's `weights` field; qkv_weight and qkv_bias hold q, k and v stacked by rows, or, with
-- transposed = true ([in,out]), side by side by columns.
local maps = {}

local NAMES = {
  "w_o", "w_concat", "proj", "torch_mha", "llama", "qwen3", "bert", "gpt2", "vit", "timm", "t5", "mpt",
}

function maps.names()
  return NAMES
end

-- The map of that name, or nil.
function maps.get(name)
  for _, known in ipairs(NAMES) do
    if known == name then return require("maps." .. name) end
  end
end

local STACKED = { "q", "k", "v" }

-- How many of the projections that a stacked bias serves add one.
local function stacked_biases(spec)
  local count = 0
  for _, p in ipairs(STACKED) do count = count + (spec.bias[p] and 1 or 0) end
  return count
end

-- Whether a tensor can hold this part of q, k and v: weights only where their inputs are equally wide, biases only
-- where each of the three adds one, or part of the file would go unread.
local function can_stack(spec, part)
  if part == "bias" then return stacked_biases(spec) == #STACKED end
  return spec.k_dim == spec.d_model and spec.v_dim == spec.d_model
end

-- The tensor that holds a role: its name and whether q, k and v are stacked in it; nil where the map names none. Names
-- under `apart` serve where what the map stacks cannot be.
function maps.source(spec, map, role)
  if map[role] then return map[role], false end
  local projection, part = role:match("^([qkv])_(%a+)$")
  local stacked = projection and map["qkv_" .. part]
  if stacked and can_stack(spec, part) then return stacked, true end
  return map.apart and map.apart[role], false
end

-- What the bias beside a weight is called where the map does not say: PyTorch's modules keep both under one name.
local function bias_of(map, projection)
  local weight = map[projection .. "_weight"]
  return map[projection .. "_bias"] or (weight and weight:find("weight$") and weight:gsub("weight$", "bias")) or nil
end

local function has_role(spec, name)
  for _, role in ipairs(spec.roles) do
    if role.name == name then return true end
  end
  return false
end

-- What a module learns besides its projections.
local LEARNED = {
  "bias_k", "bias_v", "q_norm_weight", "q_norm_bias", "k_norm_weight", "k_norm_bias", "sinks", "relative_bias",
}

-- Tensors that a file of this map must not hold, as { role, tensor }: biases that the spec's projections do not add,
-- and what else is learned and the spec leaves out. Without them the file would give other numbers than its module.
function maps.refused(spec, map)
  local list = {}
  local function add(projection)
    local tensor = bias_of(map, projection)
    if tensor then list[#list + 1] = { role = projection .. "_bias", tensor = tensor } end
  end
  if stacked_biases(spec) == 0 then add("qkv") end
  for _, p in ipairs({ "q", "k", "v", "o" }) do
    if spec.projects[p] and not spec.bias[p] then add(p) end
  end
  for _, role in ipairs(LEARNED) do
    if map[role] and not has_role(spec, role) then list[#list + 1] = { role = role, tensor = map[role] } end
  end
  return list
end

return maps
