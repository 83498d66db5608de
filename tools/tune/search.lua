-- search.lua: coordinate descent over the tuning parameters of a model, as one list of steps that is the same each
-- time: with a memory of what was measured, a second run goes on where the first one ended. Builds and
-- measures nothing.
local search = {}

-- The order in which parameters are tried, those that change most first: by their names, or by the ends of these.
local FIRST_LAST = { ["block.rows"] = 0, ["group.rows"] = 5 }
local ORDER = { rows = 1, tiles = 2, panels = 3, sums = 3, prefetch = 4 }

-- Parameters { name, candidates, model } in this order; others last.
local function ordered(parameters)
  local list = {}
  for i, parameter in ipairs(parameters) do list[i] = { at = i, parameter = parameter } end
  local function rank(item)
    local name = item.parameter.name
    return FIRST_LAST[name] or ORDER[name:match("%.(%l+)$")] or 5
  end
  table.sort(list, function(a, b)
    if rank(a) ~= rank(b) then return rank(a) < rank(b) end
    return a.at < b.at
  end)
  for i, item in ipairs(list) do list[i] = item.parameter end
  return list
end

-- The candidates except a value, nearest first, as the cost model is right more often than not.
local function others(parameter, value)
  local list = {}
  for _, candidate in ipairs(parameter.candidates) do
    if candidate ~= value then list[#list + 1] = candidate end
  end
  local function distance(x) return math.max(x, value) / math.max(1, math.min(x, value)) end
  table.sort(list, function(a, b)
    if distance(a) ~= distance(b) then return distance(a) < distance(b) end
    return a < b
  end)
  return list
end

local function with(values, name, value)
  local changed = {}
  for key, of in pairs(values) do changed[key] = of end
  changed[name] = value
  return changed
end

-- Values as text, by which they are told apart: "out.rows=12 up.rows=11"; "" for those of the cost model.
function search.key(values)
  local words = {}
  for name, value in pairs(values) do words[#words + 1] = name .. "=" .. value end
  table.sort(words)
  return table.concat(words, " ")
end

-- The best values by compare(best, candidate, name, value), which says whether the candidate is faster, or nil when the
-- time is over. Values of the cost model are left out. Passes over all parameters end with the first that changes
-- nothing. Returns the values, and whether the search came to its end.
function search.run(parameters, compare)
  local best, changed = {}, true
  parameters = ordered(parameters)
  while changed do
    changed = false
    for _, parameter in ipairs(parameters) do
      for _, value in ipairs(others(parameter, best[parameter.name] or parameter.model)) do
        local candidate = with(best, parameter.name, value ~= parameter.model and value or nil)
        local is_faster = compare(best, candidate, parameter.name, value)
        if is_faster == nil then return best, false end
        if is_faster then best, changed = candidate, true end
      end
    end
  end
  return best, true
end

return search
