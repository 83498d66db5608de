-- saved.lua: what configure found out, as a file that the graph of the tests is made from when tests are asked for.
-- Plain data: tables, strings, numbers, booleans.
local fs = require "base.fs"
local text = require "base.text"

local saved = { PATH = "out/tested.lua" }

local write -- for tables in tables

local function pairs_text(value, indent)
  local lines, inner = { "{\n" }, indent .. "  "
  for i, item in ipairs(value) do lines[#lines + 1] = ("%s[%d] = %s,\n"):format(inner, i, write(item, inner)) end
  local named = {}
  for key, item in pairs(value) do
    if type(key) == "string" then named[key] = item end
  end
  for _, key in ipairs(text.sorted_keys(named)) do
    lines[#lines + 1] = ("%s[%q] = %s,\n"):format(inner, key, write(named[key], inner))
  end
  lines[#lines + 1] = indent .. "}"
  return table.concat(lines)
end

function write(value, indent)
  if type(value) == "table" then return pairs_text(value, indent) end
  if type(value) == "string" then return ("%q"):format(value) end
  return tostring(value)
end

-- The text of a table whose keys are strings, or 1, 2, ... without a gap.
function saved.text(value)
  return "-- Written by configure.\nreturn " .. write(value, "") .. "\n"
end

-- What was saved: see graph.make.
function saved.read()
  return assert(load(assert(fs.read(saved.PATH)), "=" .. saved.PATH, "t", {}))()
end

return saved
