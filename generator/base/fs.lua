-- fs.lua: files read and written whole, with a record of what was read. Writes through no symbolic link.
-- Never follows up on an error: callers get nil and a message that names the path.
local compat = require "base.compat"
local fmt = require "base.fmt"

local fs = {}

local files_read = {} -- path, of a folder too -> true
local odd_files = {}  -- folder -> the names in it that are neither files nor folders, as a set

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

-- The bytes of a file from byte `first`, from 0, on: `count` of them, or as many as there are; nil and a message where
-- they cannot be read.
function fs.read_part(path, first, count)
  files_read[path] = true
  local file, why = io.open(path, "rb")
  if not file then return nil, why end
  local ok, content
  ok, why = file:seek("set", first)
  if ok then content, why = file:read(count) end
  file:close()
  if not content and why then return nil, path .. ": " .. tostring(why) end
  return content or ""
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

-- "file" (a link to one too), "nothing", or "other": a folder, a pipe, a device, which may never end.
function fs.kind(path)
  local quoted = fmt.sh_quote(path)
  local _, code = compat.execute(("if [ -f %s ]; then exit 0; elif [ -e %s ]; then exit 1; else exit 2; fi"):format(
    quoted, quoted))
  return code == 0 and "file" or code == 1 and "other" or "nothing"
end

-- As fs.read, of a path that somebody gave: anything but a file is not opened, for that might wait for ever.
function fs.read_given(path, most)
  if fs.kind(path) == "other" then return nil, path .. ": is not a regular file" end
  return fs.read(path, most)
end

-- -- Writing --------------------------------------------------------------------------------------------------------

-- Runs a command of sh that prints what it finds; its output, or nil and that as a message.
local function ask(command)
  local output, code = compat.capture(command)
  if code ~= 0 then return nil, (output:gsub("%s+$", "")) end
  return output
end

-- A path as a word of sh that no command takes for an option.
local function word(path)
  return fmt.sh_quote(path:sub(1, 1) == "-" and "./" .. path or path)
end

-- The folder and those that lead to it, as words of sh; of an absolute path the folder alone, for what lies before it
-- is the system's.
local function steps_to(folder)
  if folder:sub(1, 1) == "/" then return word(folder) end
  local words, at = {}, nil
  for part in folder:gmatch("[^/]+") do
    at = at and at .. "/" .. part or part
    words[#words + 1] = word(at)
  end
  return table.concat(words, " ")
end

local IS_LINKED = 'for at in %s; do [ ! -L "$at" ] || { echo "$at: is a symbolic link, and nothing is written ' ..
  'through one; put a folder in its place"; exit 1; }; done'
local FIND_ODD = "[ ! -d %s ] || find %s/. ! -name . -prune ! -type f ! -type d"

-- Names in a folder that hold no file of their own: symbolic links, pipes, devices; as they were when this process
-- first wrote there. nil and a message where the way there leads over a link.
local function look_at(folder)
  if odd_files[folder] then return odd_files[folder] end
  local output, why = ask((IS_LINKED .. "; " .. FIND_ODD):format(steps_to(folder), word(folder), word(folder)))
  if not output then return nil, why end
  odd_files[folder] = {}
  for name in output:gmatch("([^/\n]+)\n") do odd_files[folder][name] = true end
  return odd_files[folder]
end

-- Makes a folder and its parents, and one in it that nobody else has: a name in that cannot be there already. Returns
-- its path, or nil and a message.
local function make_private(folder)
  local output, why = ask(("mkdir -p -- %s && mktemp -d -- %s/.new.XXXXXX"):format(word(folder), word(folder)))
  return output and output:gsub("\n$", ""), why
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

-- Writes a file in the private folder and puts it in the place of whatever has its name.
local function replace(private, folder, name, content)
  local temporary, path = private .. "/" .. name, folder .. "/" .. name
  local ok, why = write_whole(temporary, content)
  if ok then
    ok, why = os.rename(temporary, path)
    why = not ok and ("%s: cannot be written (%s)"):format(path, tostring(why)) or nil
  end
  if not ok then os.remove(temporary) end
  return ok, why
end

-- Makes files of one folder, { name, content } each, hold their content: each is made elsewhere and put in its place,
-- so that no reader ever sees half a file, and a link of its name is replaced and not followed. Returns an array of
-- whether each was written, false where it held just that already (its time stamp stays); or nil and a message.
function fs.write_all(folder, files)
  local odd, why = look_at(folder)
  if not odd then return nil, why end
  local written, changed = {}, {}
  for i, file in ipairs(files) do
    written[i] = odd[file[1]] or read_whole(folder .. "/" .. file[1]) ~= file[2]
    if written[i] then changed[#changed + 1] = file end
  end
  if #changed == 0 then return written end
  local private
  private, why = make_private(folder)
  if not private then return nil, why end
  local ok = true
  for _, file in ipairs(changed) do
    if ok then ok, why = replace(private, folder, file[1], file[2]) end
    odd[file[1]] = not ok and odd[file[1]] or nil
  end
  os.remove(private)
  if not ok then return nil, why end
  return written
end

-- The same for one file: true, false, or nil and a message.
function fs.write_if_changed(path, content)
  local folder, name = path:match("^(.*)/([^/]*)$")
  if folder == "" then folder = "/" end
  local written, why = fs.write_all(folder or ".", { { name or path, content } })
  if not written then return nil, why end
  return written[1]
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

-- The same, where what this process does depends on which names there are: the folder is remembered for fs.inputs().
function fs.read_folder(folder)
  files_read[folder] = true
  return fs.list(folder)
end

-- Every file and folder this process depends on so far, in byte order: the running script, the loaded Lua modules and
-- what fs.read and fs.read_folder were asked for. It is what a depfile lists.
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
