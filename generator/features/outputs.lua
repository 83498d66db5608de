-- outputs.lua: intermediates a caller may ask for beside the layer's output. What a spec does not list costs nothing.
local types = require "spec.types"

local NOW = { "attention", "attention_mean" }
local LATER = {
  "q_proj", "k_proj", "v_proj", "q_heads", "k_heads", "v_heads", "scores", "x_heads", "x_concat",
}
local one = types.choice(NOW, LATER)

local function check(value)
  if type(value) ~= "table" then return nil, 'must be a list like { "attention" }, found ' .. types.shown(value) end
  local count, seen = 0, {}
  for _ in pairs(value) do count = count + 1 end
  if count ~= #value then return nil, 'must be a list like { "attention" }, without keys' end
  for _, name in ipairs(value) do
    local ok, why = one(name)
    if not ok then return nil, why end
    if seen[name] then return nil, ("names %q twice"):format(name) end
    seen[name] = true
  end
  return value
end

local function split_commas(word)
  local list = {}
  for name in word:gmatch("[^,]+") do list[#list + 1] = name end
  return list
end

return {
  name = "outputs",
  fields = {
    { field = "outputs", flag = "--outputs", value = "LIST", check = check, parse = split_commas,
      default = "none", help = "intermediates a call may ask for: attention, attention_mean" },
  },
  resolve = function(spec)
    spec.attention_output = false
    for _, name in ipairs(spec.outputs or {}) do
      spec.attention_output = spec.attention_output or name == "attention"
    end
  end,
  splices = function(spec)
    return spec.attention_output and { head = "outputs.head.c.lt", softmax_row = "outputs.softmax_row.c.lt" } or nil
  end,
  sentence = function(spec)
    return spec.attention_output and "softmax weights are written on request" or nil
  end,
}
