-- modifiers/init.lua: the score modifiers: every file of this folder is one, found by listing it. A modifier is a
-- feature (attention/init.lua) that changes scores before softmax; nothing else in the generator spells its name. It
-- has besides
--   score_order                its place among the modifiers, one of SCORE_ORDER in attention/order.lua
--   after                      names of features that are resolved, printed and spliced before it; at least one
--   weights                    the names of all roles that it may add, nil for none. One that no map of import/maps
--                              names is called so in a file, after what the map has before a layer's names
--   idle                       what each of these weights is where the modifier changes nothing; nil for 0
--   by_distance                true where it goes by a key's distance from the query's own place; its name is a field
local compat = require "base.compat"
local fs = require "base.fs"

local modifiers = {}

local FOLDER = compat.module_file("attention.modifiers"):match("^(.*)/[^/]*$")

for _, file in ipairs(assert(fs.read_folder(FOLDER))) do
  local name = file:match("^([%l%d_]+)%.lua$")
  if name and name ~= "init" then
    local modifier = require("attention.modifiers." .. name)
    if modifier.name ~= name then error(("%s/%s calls itself %s"):format(FOLDER, file, tostring(modifier.name)), 0) end
    modifiers[#modifiers + 1] = modifier
  end
end

-- The names of all roles that modifiers may add, in order; and of each the number with which it changes nothing.
function modifiers.weights()
  local names, idle = {}, {}
  for _, modifier in ipairs(modifiers) do
    for _, name in ipairs(modifier.weights or {}) do names[#names + 1], idle[name] = name, modifier.idle or 0 end
  end
  return names, idle
end

return modifiers
