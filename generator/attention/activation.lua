-- activation.lua: a function of each element after the projections, choosable for each of the four.
-- Adds to the stages right after a projection, while its rows are in cache: of q, k and v head by head, of the output.
local text = require "base.text"
local types = require "schema.types"

local PROJECTIONS = { "q", "k", "v", "o" }
local NAMES = { "none", "relu", "gelu", "gelu_tanh", "silu", "tanh" }
local MOST_SAID = 5 -- problems of one table
local one = types.choice(NAMES)

local function check(value)
  local given = value
  if type(value) ~= "table" then
    local ok, why = one(value)
    if not ok then return nil, why .. "; or must be like { q = \"relu\", o = \"gelu\" }" end
    given = { q = value, k = value, v = value, o = value }
  end
  local known, problems = {}, {}
  for key, name in pairs(given) do
    local ok, why = one(name)
    if key ~= "q" and key ~= "k" and key ~= "v" and key ~= "o" then
      problems[#problems + 1] = "has only the fields q, k, v and o, found " .. types.shown(key)
    elseif not ok then
      problems[#problems + 1] = ("field %s %s"):format(key, why)
    end
    known[key] = name ~= "none" and name
  end
  table.sort(problems)
  if #problems > 0 then return nil, table.concat(text.first(problems, MOST_SAID), "; ") end
  return known
end

local function parse(word)
  if not word:find("=", 1, true) then return word end
  local activation = {}
  for part in word:gmatch("[^,]+") do
    local p, name = part:match("^(%w+)=([%w_]+)$")
    if not p then return word end
    activation[p] = name
  end
  return activation
end

-- The different activations after these projections, in order.
local function distinct(activation, projections)
  local list, seen = {}, {}
  for _, p in ipairs(projections) do
    local name = activation[p]
    if name and not seen[name] then
      seen[name] = true
      list[#list + 1] = name
    end
  end
  return list
end

return {
  name = "activation",
  in_layers = true,
  fields = {
    { field = "activation", flag = "--activation", value = "NAME|q=NAME,...",
      check = types.described("a name, or a table such as `{ q = \"relu\", o = \"gelu\" }`", check), parse = parse,
      default = "none", help = "a function of each element, after every projection or after some of q, k, v and " ..
      "o: relu, gelu (by erf), gelu_tanh, silu, tanh",
      group = "projections", example = 'activation = { v = "gelu" }' },
  },
  resolve = function(spec)
    local activation = {}
    for _, p in ipairs(PROJECTIONS) do
      activation[p] = spec.projects[p] and spec.activation and spec.activation[p] or false
    end
    spec.activation = activation
    spec.needs_unscaled_q = spec.needs_unscaled_q or activation.q ~= false
    spec.activated = distinct(activation, PROJECTIONS)
  end,
  operations = function(spec, add)
    for _, p in ipairs(PROJECTIONS) do
      if spec.activation[p] then
        add(p == "o" and "output" or "projected",
          { name = "activate_" .. p, op = spec.activation[p], reads = { p }, writes = { p } })
      end
    end
  end,
  properties = function(spec)
    local list = {}
    for _, p in ipairs({ "q", "k", "v", "o" }) do
      local name = spec.activation[p]
      list[#list + 1] = { ("activation[GA_%s]"):format(p:upper()), name and "ACTIVATION_" .. name:upper() }
    end
    return list
  end,
  sentence = function(spec)
    local parts = {}
    for _, name in ipairs(distinct(spec.activation, PROJECTIONS)) do
      local after = {}
      for _, p in ipairs(PROJECTIONS) do after[#after + 1] = spec.activation[p] == name and p or nil end
      parts[#parts + 1] = name .. " after " .. text.join(after)
    end
    return #parts > 0 and table.concat(parts, ", ") .. ", while their rows are in cache" or nil
  end,
}
