-- import/data_files.lua: which kinds of models an importer knows: the data files of a folder. Reads none of them.
local fs = require "base.fs"

-- Their names without ".lua", in byte order; `common` is no kind's.
return function(folder)
  local names = {}
  for _, file in ipairs(assert(fs.list(folder))) do
    local name = file:match("^(.*)%.lua$")
    if name and name ~= "common" then names[#names + 1] = name end
  end
  return names
end
