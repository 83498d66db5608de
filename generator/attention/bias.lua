-- bias.lua: an optional bias on each of the four projections.
-- Adds roles only: a packed panel starts with its bias, or with zeros where there is none, at no cost to the kernel.
local text = require "base.text"
local types = require "schema.types"

local MOST_SAID = 5 -- names that are none

local PROJECTIONS = { "q", "k", "v", "o" }

local function check(value)
  if type(value) == "boolean" then return { q = value, k = value, v = value, o = value } end
  if type(value) ~= "table" then
    return nil, ("must be true, false or like { q=true, k=false }, found %s"):format(types.shown(value))
  end
  local known, others = {}, {}
  for _, p in ipairs(PROJECTIONS) do
    if value[p] ~= nil and type(value[p]) ~= "boolean" then
      return nil, ("field %s must be true or false, found %s"):format(p, types.shown(value[p]))
    end
    known[p] = value[p] ~= false
  end
  for key in pairs(value) do
    if known[key] == nil then others[#others + 1] = types.shown(key) end
  end
  table.sort(others)
  if #others > 0 then
    return nil, "has only the fields q, k, v and o, found " .. table.concat(text.first(others, MOST_SAID), ", ")
  end
  return known
end

local function parse(word)
  if word == "none" then return false end
  if word == "all" then return true end
  local bias = { q = false, k = false, v = false, o = false }
  for p in word:gmatch("[^,]+") do
    if bias[p] ~= false then
      return nil, ("must be all, none or some of q,k,v,o, each once, found %s"):format(types.shown(word))
    end
    bias[p] = true
  end
  return bias
end

return {
  name = "bias",
  fields = {
    { field = "bias", flag = "--bias", value = "all|none|q,k,v,o", parse = parse, default = "all",
      check = types.described("`true`, `false`, or a table such as `{ q = true, k = false }`", check),
      help = "projections that add a bias",
      group = "projections", example = "bias = { q = true, k = false, v = true, o = true }" },
  },
  resolve = function(spec)
    spec.bias = spec.bias or check(true)
    for _, p in ipairs(PROJECTIONS) do spec.bias[p] = spec.bias[p] and spec.projects[p] end
  end,
  sentence = function(spec)
    if spec.kind == "sdpa" then return nil end
    local on, all = {}, true
    for _, p in ipairs(PROJECTIONS) do
      if spec.bias[p] then on[#on + 1] = p end
      all = all and spec.bias[p] == spec.projects[p]
    end
    if all then return "every projection adds a bias" end
    return #on == 0 and "no projection adds a bias" or "bias on " .. table.concat(on, ", ") .. " only"
  end,
}
