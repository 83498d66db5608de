-- products.lua: the programs, libraries and headers that a build leaves to its user, as a list in out/products.list, so
-- that those of an earlier configuration go when it goes. Removes nothing that is not on that list.
local text = require "base.text"

local products = {}

local LIST = "out/products.list"
-- Where products lie; a list that names anything else is not followed there.
local PLACES = { "^out/bin/[^/.][^/]*$", "^out/lib/[^/.][^/]*$", "^out/include/[^/.][^/]*$",
  "^out/install/[^/.][^/]*$", "^out/python/[^/.][^/]*$", "^out/lua/[%w_]+%.lua$",
  "^out/lua/[%w_.-]+%.rockspec$", "^out/lua/[%w_]+/[%w_]+%.%a+$" }

local function is_place(path)
  for _, pattern in ipairs(PLACES) do
    if path:find(pattern) then return true end
  end
  return false
end

-- The name and text of the list for fs.write_all. paths: the products of this configuration.
function products.list(paths)
  return { LIST:match("[^/]*$"), table.concat(paths, "\n") .. "\n" }
end

-- The products of the configuration before this one, as its list has them; none where there is no list.
function products.before()
  local paths, file = {}, io.open(LIST)
  if not file then return paths end
  for path in file:lines() do
    if is_place(path) then paths[#paths + 1] = path end
  end
  file:close()
  return paths
end

-- Removes those files of `before` that are not among `now`. Returns a line that says so, nil where there were none.
function products.remove_stale(before, now)
  local is_made, removed = {}, {}
  for _, path in ipairs(now) do is_made[path] = true end
  for _, path in ipairs(before) do
    if not is_made[path] and os.remove(path) then removed[#removed + 1] = path end
  end
  if #removed == 0 then return nil end
  return ("removed, as this configuration does not make them: %s"):format(text.join(removed))
end

return products
