-- order.lua: the order of features: that of a list, with the score modifiers, which are found and not listed, each
-- after those that it names. Knows no feature by name; an order that cannot be is an error that names who asks for it.
local order = {}

-- The order in which scores are modified; modifiers of one place go by their names.
order.SCORE_ORDER = { "position", "scale", "cap", "bias", "mask" }

local PLACES = {}
for place, name in ipairs(order.SCORE_ORDER) do PLACES[name] = place end

local function check_place(modifier)
  if not PLACES[modifier.score_order] then
    error(("modifier %s: score_order is %s, which is none of %s"):format(modifier.name,
      tostring(modifier.score_order), table.concat(order.SCORE_ORDER, ", ")), 0)
  end
end

local function check_after(modifier, known)
  if type(modifier.after) ~= "table" or #modifier.after == 0 then
    error(("modifier %s: after must list the features that it comes after"):format(modifier.name), 0)
  end
  for _, name in ipairs(modifier.after) do
    if not known[name] then
      error(("modifier %s: after names %s, and no feature is called so"):format(modifier.name, name), 0)
    end
  end
end

-- Which names there are, each once.
local function names_of(listed, modifiers)
  local known = {}
  for _, features in ipairs({ listed, modifiers }) do
    for _, feature in ipairs(features) do
      if known[feature.name] then error("two features are called " .. feature.name, 0) end
      known[feature.name] = true
    end
  end
  return known
end

-- Modifiers by their place among those of scores, then by name: an array of its own.
local function by_place(modifiers)
  local sorted = {}
  for i, modifier in ipairs(modifiers) do sorted[i] = modifier end
  table.sort(sorted, function(a, b)
    local of_a, of_b = PLACES[a.score_order], PLACES[b.score_order]
    if of_a ~= of_b then return of_a < of_b end
    return a.name < b.name
  end)
  return sorted
end

-- The first of those that wait for nothing that is not placed yet, taken from them; nil where there is none.
local function next_ready(waiting, placed)
  for i, modifier in ipairs(waiting) do
    local ready = true
    for _, name in ipairs(modifier.after) do ready = ready and placed[name] end
    if ready then return table.remove(waiting, i) end
  end
end

local function names_text(modifiers)
  local names = {}
  for i, modifier in ipairs(modifiers) do names[i] = modifier.name end
  return table.concat(names, ", ")
end

-- Those of the list in its order, and each modifier as early as it may be: after the last of those in its `after`,
-- which may be modifiers too. Of several that may be next the first by score_order and name is.
function order.arranged(listed, modifiers)
  local known = names_of(listed, modifiers)
  for _, modifier in ipairs(modifiers) do
    check_place(modifier)
    check_after(modifier, known)
  end
  local arranged, placed, waiting = {}, {}, by_place(modifiers)
  for _, feature in ipairs(listed) do
    local next_one = feature
    while next_one do
      arranged[#arranged + 1], placed[next_one.name] = next_one, true
      next_one = next_ready(waiting, placed)
    end
  end
  if #waiting > 0 then error("modifiers that wait for each other by their after: " .. names_text(waiting), 0) end
  return arranged
end

return order
