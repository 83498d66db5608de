-- inputs.lua: what a test step reads besides its binary, so that ninja runs it again where that changed: the Lua
-- files that a script loads, and whole folders where a test goes through them. What is left out here is a step
-- that does not run when it should, so that a folder is named rather than the files in it that somebody knew of.
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local inputs = { GOLDENS = "tests/pytorch/goldens.safetensors" }

-- Where `require` looks in scripts of the tests.
local ROOTS = { "generator/%s.lua", "generator/%s/init.lua", "tests/program/%s.lua", "%s.lua" }
local PATTERNS = { "require%s*%(?%s*[\"']([%w_.]+)[\"']", "dofile%s*%(?%s*[\"']([%w_./]+)[\"']",
  "[%s\"'](generator/[%w_]+%.lua)" }

-- The file of a module, or of a script as it is given to dofile; nil where it is none of this tree's.
local function file_of(name)
  if name:find("%.lua$") then return name end
  for _, root in ipairs(ROOTS) do
    local path = root:format((name:gsub("%.", "/")))
    if fs.exists(path) then return path end
  end
end

local function add_script(seen, paths, path)
  if seen[path] then return end
  seen[path] = true
  paths[#paths + 1] = path
  local content = assert(fs.read(path))
  for _, pattern in ipairs(PATTERNS) do
    for name in content:gmatch(pattern) do
      local used = file_of(name)
      if used then add_script(seen, paths, used) end
    end
  end
end

-- The Lua files that a script loads by names that stand in it, itself first.
function inputs.script(path)
  local paths = {}
  add_script({}, paths, path)
  return paths
end

-- The floors of the generator that a script comes by, each with all that is in it, as lists of features and the like
-- name files that no text requires; and the templates where it comes by what reads them.
function inputs.floors(script)
  local floors, seen = {}, {}
  for _, path in ipairs(inputs.script(script)) do
    local floor = path:match("^generator/[%w_]+/")
    if floor and not seen[floor] then
      seen[floor] = true
      floors[#floors + 1] = floor:sub(1, -2)
    end
  end
  if seen["generator/emit/"] then floors[#floors + 1] = "templates" end
  return floors
end

local listed = {} -- by find's arguments, as many steps read the same folders

local function found(folder, kind)
  local arguments = folder .. " " .. kind
  if listed[arguments] then return listed[arguments] end
  local paths = {}
  local output, code = compat.capture(("find -L %s -type %s"):format(fmt.sh_quote(folder), kind))
  assert(code == 0, output)
  for path in output:gmatch("[^\n]+") do paths[#paths + 1] = path end
  table.sort(paths)
  listed[arguments] = paths
  return paths
end

-- Every file in and below these folders, in order.
function inputs.files(...)
  local all = {}
  for _, folder in ipairs({ ... }) do
    for _, path in ipairs(found(folder, "f")) do all[#all + 1] = path end
  end
  return all
end

-- Those of them in a folder that are Lua.
function inputs.lua_files(folder)
  local paths = {}
  for _, path in ipairs(found(folder, "f")) do paths[#paths + 1] = path:find("%.lua$") and path or nil end
  return paths
end

-- These folders and those in them: a new file anywhere changes the time of one.
function inputs.folders(...)
  local all = {}
  for _, folder in ipairs({ ... }) do
    for _, path in ipairs(found(folder, "d")) do all[#all + 1] = path end
  end
  return all
end

return inputs
