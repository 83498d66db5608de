-- from_hf/folder.lua: reads the small JSON files in the folder of a model's config.json, and keeps the rows that they
-- add to the mapping table and what is wrong with them. Knows no field of any file.
local fs = require "base.fs"
local json = require "import.from_hf.json"

local Folder = {}
Folder.__index = Folder

function Folder:fail(path, message, ...)
  self.errors[#self.errors + 1] = path .. ": " .. message:format(...)
end

-- A row of the table: what a file says, and what it is in the spec.
function Folder:add(path, config, value, field, made)
  self.rows[#self.rows + 1] = { config = path:sub(#self.path + 2) .. ": " .. config, value = value, field = field,
    made = made }
end

-- A file of the folder, or nothing: a file that must be there and is not fails.
function Folder:read(path, is_optional)
  if is_optional and fs.kind(path) == "nothing" then return nil end
  local config, why = json.read(path)
  if not config then self.errors[#self.errors + 1] = why end
  return config
end

-- Refuses a value that changes results, unless it is to be ignored by its name.
function Folder:refuse(path, name, value, expected, why)
  if self.ignored[name] then
    self.ignored[name] = "used"
  else
    self:fail(path, "%s is %s; expected %s: %s", name, json.shown(value), expected, why)
  end
end

-- given: spec fields that flags give, by name; ignored: set of names not to ask about.
return function(path, given, ignored)
  return setmetatable({ path = path, given = given, ignored = ignored, rows = {}, errors = {} }, Folder)
end
