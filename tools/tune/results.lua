-- results.lua: refuses a candidate whose results have other bits than those of the cost model. Calls nothing.
local results = {}

-- An error of Lua if one of the results differs. model: its name; key: the values of the candidate, as text; calls:
-- what each result is of; expected, found: the bytes of each.
function results.check(model, key, calls, expected, found)
  for i, call in ipairs(calls) do
    if found[i] ~= expected[i] then
      error(("%s: with '%s' a result has other bits (%s). This is a bug of genattn, please report it"):format(model,
        key, call), 0)
    end
  end
end

return results
