-- weight_maps.lua: how weight files name and lay out their tensors: the maps that ship, or one written in the spec.
-- Never guesses: a map names a tensor for every weight the spec needs, or it is not offered.
local blocks = require "ops"
local maps = require "import.maps"
local modifiers = require "attention.modifiers"
local text = require "base.text"
local types = require "schema.types"

local FIELDS = {
  "q_weight", "q_bias", "k_weight", "k_bias", "v_weight", "v_bias", "o_weight", "o_bias", "qkv_weight", "qkv_bias",
  "q_norm_weight", "q_norm_bias", "k_norm_weight", "k_norm_bias",
  "embedding", "bias_k", "bias_v", "sinks",
}
for _, role in ipairs(modifiers.weights()) do FIELDS[#FIELDS + 1] = role end

-- Those of whole models; of layer %d after what `layer` says.
FIELDS[#FIELDS + 1] = "layer"
for _, block in ipairs(blocks) do
  for _, name in ipairs(block.weights or {}) do FIELDS[#FIELDS + 1] = name end
end

local MOST_SAID = 5       -- problems of one table
local LONGEST_PREFIX = 100 -- with a name of 200 after it a tensor's name stays short enough to be shown

local function field_error(key, value)
  if key == "transposed" then
    return type(value) ~= "boolean" and "field transposed must be true or false" or nil
  end
  local known = false
  for _, field in ipairs(FIELDS) do known = known or field == key end
  if not known then
    local near = text.nearest(tostring(key), FIELDS)
    return ("has no field %s%s"):format(types.shown(key), near and ("; did you mean %s?"):format(near) or "")
  end
  if key == "layer" then
    local is_template = type(value) == "string" and select(2, value:gsub("%%d", "")) == 1
    value = is_template and value:gsub("%%d", "0") or value
    if not is_template then return 'field layer must be like "encoder.layer.%d.", found ' .. types.shown(value) end
  end
  local ok, why = types.tensor_name(value)
  return not ok and ("field %s %s"):format(key, why) or nil
end

local function check(value)
  if type(value) == "string" then
    if maps.get(value, false) or maps.get(value, true) then return value end
    local near = text.nearest(value, maps.all_names())
    return nil, ("must name a map that ships (%s) or be a table, found %s%s"):format(
      table.concat(maps.all_names(), ", "), types.shown(value), near and ("; did you mean %s?"):format(near) or "")
  end
  if type(value) ~= "table" then return nil, "must be the name of a map or a table, found " .. types.shown(value) end
  local keys, problems = {}, {}
  for key in pairs(value) do keys[#keys + 1] = key end
  table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
  for _, key in ipairs(keys) do
    if #problems < MOST_SAID then problems[#problems + 1] = field_error(key, value[key]) end
  end
  table.sort(problems)
  if #problems > 0 then return nil, table.concat(problems, "; ") end
  return value
end

local function check_prefix(value)
  local ok = types.tensor_name(value)
  if ok and #value <= LONGEST_PREFIX then return value end
  return nil, ("must be the start of a tensor's name (letters, digits and _ . / -, at most %d), found %s"):format(
    LONGEST_PREFIX, types.shown(value))
end

-- The roles for which a map names no tensor, in order; of a stack's layers, which have the same, those of the first.
local function missing_roles(spec, map)
  local missing = {}
  for _, role in ipairs(spec.roles) do
    local is_later = (maps.in_layer(role.name) or 0) > 0
    if not is_later and not maps.source(spec, map, role.name) then missing[#missing + 1] = role.name end
  end
  return missing
end

-- The fields of a map that serve no role, in order: each names a tensor that nothing would read.
local function idle_fields(spec, map)
  local serves, idle = { layer = spec.stack }, {}
  for _, role in ipairs(spec.roles) do
    local tensor, stacked = maps.source(spec, map, role.name)
    local _, inner = maps.in_layer(role.name)
    local name = inner or role.name
    serves[stacked and name:gsub("[qkv]_(%a+)$", "qkv_%1") or name] = tensor
  end
  for _, field in ipairs(FIELDS) do
    if map[field] and not serves[field] then idle[#idle + 1] = field end
  end
  return idle
end

local MOST_NAMED = 24 -- roles in a message

-- What a model without a tensor for some role hears. A stacked bias that only some of q, k and v add has its own words.
local function needs(spec, map)
  local missing = text.join_some(missing_roles(spec, map), MOST_NAMED)
  local problem = ("names no tensor for %s, which this model needs"):format(missing)
  local some = spec.bias.q or spec.bias.k or spec.bias.v
  local all = spec.bias.q and spec.bias.k and spec.bias.v
  if map.qkv_bias and some and not all then
    problem = problem .. (": %s stacks the biases of q, k and v, but bias is not on for all three"):format(map.qkv_bias)
  end
  return problem
end

local function check_custom(spec, fail)
  local missing, idle = missing_roles(spec, spec.weights), idle_fields(spec, spec.weights)
  if #missing > 0 then fail("weights " .. needs(spec, spec.weights)) end
  if #idle > 0 then fail(("weights names a tensor for %s, which this model does not use"):format(text.join(idle))) end
end

local function check_named(spec, fail)
  local map = maps.get(spec.weights, spec.stack)
  if not map then
    fail(('weights "%s" names the weights of %s, which kind = "%s" is not; there are %s'):format(spec.weights,
      spec.stack and "one attention layer" or "a whole model", spec.kind,
      table.concat(maps.names(spec.stack), ", ")))
    return
  end
  if #missing_roles(spec, map) > 0 then fail(('weights "%s" %s'):format(spec.weights, needs(spec, map))) end
end

-- Says which weights no map that ships names all together.
local function fail_unnamed(spec, fail)
  local names = missing_roles(spec, {})
  fail(("no map that ships names a tensor for each of %s: give weights = { ... }"):format(text.join(names)))
end

-- Whether a map is one to choose from: it names all that the spec needs, differs from the map that it varies, and was
-- asked for where nothing else tells it from another.
local function is_offered(spec, name)
  local map = maps.get(name, spec.stack)
  if #missing_roles(spec, map) > 0 then return false end
  if spec.weights == name then return true end
  local varies, fits = map.varies == nil, not map.on_demand
  for _, role in ipairs(map.varies or {}) do varies = varies or maps.has_role(spec, role) end
  for _, role in ipairs(map.only_with or {}) do fits = fits and maps.has_role(spec, role) end
  return varies and fits
end

return {
  name = "weight_maps",
  fields = {
    { field = "weights", flag = "--weights-layout", alias = "--weights-map", value = "NAME",
      check = types.described("the name of a layout, or a table of tensor names by role", check),
      default = "the one that fits the file",
      help = "layout of tensor names in the weights file: " .. table.concat(maps.all_names(), ", "),
      group = "weights", example = 'weights = "torch_mha"' },
    { field = "weights_prefix", flag = "--weights-prefix", value = "TEXT",
      check = types.described("the start of a tensor's name", check_prefix), default = "none",
      help = "prefix of each name of the layout, such as encoder.layer.3.attention.",
      group = "weights", example = 'weights_prefix = "encoder.layer.3.attention."' },
  },
  resolve = function(spec, fail)
    spec.default_map = type(spec.weights) == "table" and "custom" or spec.weights
    spec.maps = {}
    if spec.is_part then return end
    if type(spec.weights) == "table" then
      check_custom(spec, fail)
      spec.maps[1] = { name = "custom", map = spec.weights }
    elseif spec.weights then
      check_named(spec, fail)
    end
    for _, name in ipairs(#spec.roles > 0 and maps.names(spec.stack) or {}) do
      if is_offered(spec, name) then spec.maps[#spec.maps + 1] = { name = name, map = maps.get(name, spec.stack) } end
    end
    if #spec.roles > 0 and #spec.maps == 0 and not spec.weights then fail_unnamed(spec, fail) end
  end,
}
