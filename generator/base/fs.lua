-- fs.lua: files read and written whole, with a record of what was read.
-- Never deletes, never follows up on an error: callers get nil and a message that names the path.
local compat = require "base.compat"
local fmt = require "base.fmt"

local fs = {}

local files_read = {}     -- path -> true
local folders_made = {}   -- path -> true

local function read_whole(path, most)
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local content
  content, why = file:read(most or "*a")
  file:close()
  if not content and why then return nil, path .. ": " .. tostring(why) end
  return content or "" -- read(n) gives nil at the end of a file, and an empty one ends at once
end

-- The whole file as a string, or no more than its first `most` bytes where that is given; nil and a message where there
-- is none. The path is remembered for fs.inputs().
function fs.read(path, most)
  files_read[path] = true
  return read_whole(path, most)
end

-- Whether the path can be opened for reading.
function fs.exists(path)
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

-- How many bytes the file at a path holds; nil and a message where there is none.
function fs.size(path)
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local size
  size, why = file:seek("end")
  file:close()
  return size, why
end

-- Makes the folder and its parents; true, or nil and a message.
function fs.make_folder(path)
  if folders_made[path] then return true end
  local output, code = compat.capture("mkdir -p -- " .. fmt.sh_quote(path))
  if code ~= 0 then return nil, (output:gsub("%s+$", "")) end
  folders_made[path] = true
  return true
end

local function write_whole(path, content)
  local file, why = io.open(path, "wb")
  if not file then return nil, why end
  local ok
  ok, why = file:write(content)
  if not ok then
    file:close()
    return nil, path .. ": " .. tostring(why)
  end
  ok, why = file:close()
  if not ok then return nil, path .. ": " .. tostring(why) end
  return true
end

-- Makes the file hold `content`, its folder included, through a temporary name so that no reader ever sees half a
-- file. Returns true when it wrote, false when the file held just that already (its time stamp stays), or nil and a
-- message.
function fs.write_if_changed(path, content)
  if read_whole(path) == content then return false end
  local folder = path:match("^(.*)/[^/]*$")
  if folder and folder ~= "" then
    local made, why = fs.make_folder(folder)
    if not made then return nil, why end
  end
  local temporary = path .. ".tmp"
  local ok, why = write_whole(temporary, content)
  if not ok then return nil, why end
  ok, why = os.rename(temporary, path)
  if not ok then
    os.remove(temporary)
    return nil, ("%s: cannot be written (%s)"):format(path, tostring(why))
  end
  return true
end

-- The names in a folder, hidden ones too, in byte order; or nil and a message.
function fs.list(folder)
  local output, code = compat.capture("ls -1A -- " .. fmt.sh_quote(folder))
  if code ~= 0 then return nil, (output:gsub("%s+$", "")) end
  local names = {}
  for name in output:gmatch("[^\n]+") do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Every file this process depends on so far, in byte order: the running script, the loaded Lua modules and what
-- fs.read was asked for. It is what a depfile lists.
function fs.inputs()
  local seen, paths = {}, {}
  local function add(path)
    if path and not seen[path] then
      seen[path] = true
      paths[#paths + 1] = path
    end
  end
  add(arg and arg[0])
  for name in pairs(package.loaded) do add(compat.module_file(name)) end
  for path in pairs(files_read) do add(path) end
  table.sort(paths)
  return paths
end

return fs
