-- symbols.lua: checks what libraries show: lua symbols.lua LIBRARY...
-- lib<name>.a and lib<name>.so define no external name but ga_* and <name>_*, keep nothing that can be written to, and
-- run nothing when they are loaded. Reads nm and readelf; links nothing. What they call is looked at by imports.lua.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fmt = require "base.fmt"

local function set(words)
  local names = {}
  for word in words:gmatch("%S+") do names[word] = true end
  return names
end

local passed, failed = 0, 0

local function check(ok, path, message, ...)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    print(path .. ": " .. message:format(...))
  end
end

-- Lines of a command about a library; an error of the command is one.
local function lines_of(command, path)
  local output, code = compat.capture(command .. " " .. fmt.sh_quote(path))
  check(code == 0 and output ~= "", path, "%s: exit %d: %s", command, code, output)
  return output:gmatch("[^\n]+")
end

-- The names nm prints, as { name, kind }.
local function symbols(path, options)
  local list = {}
  for line in lines_of("nm -A -g " .. options, path) do
    local kind, name = line:match(" (%a) ([^%s@]+)")
    if name then list[#list + 1] = { name = name, kind = kind } end
  end
  return list
end

local function is_own(name, model)
  return name:find("^ga_") ~= nil or (model ~= nil and name:sub(1, #model + 1) == model .. "_")
end

-- -- Names that are defined -----------------------------------------------------------------------------------------

-- T code, D data that the loader makes read-only (see check_sections), R constants; no C (common), V or W (shared with
-- whoever else has the name), i (chosen by code that runs when loaded), u.
local function check_defined(path, list, model)
  local count = 0
  for _, symbol in ipairs(list) do
    if symbol.kind ~= "U" and symbol.kind ~= "w" then
      count = count + 1
      check(is_own(symbol.name, model), path, "defines %s, whose name is not its own", symbol.name)
      check(symbol.kind:find("^[TDR]$") ~= nil, path, "%s is of nm's type %s", symbol.name, symbol.kind)
    end
  end
  check(count > 0, path, "defines nothing")
end

-- Nothing that can be written to once it is relocated, for one thread or all, and nothing that runs by itself.
local function check_sections(path)
  for line in lines_of("readelf -SW", path) do
    local name, kind, size, flags = line:match("%]%s+(%.%S+)%s+(%S+)%s+%x+%s+%x+%s+(%x+)%s+%x+%s+(%u*)")
    if name and tonumber(size, 16) > 0 and not kind:find("^RELA?$") then
      check(not flags:find("W") or name:find("^%.data%.rel%.ro") ~= nil, path, "%s of %s bytes can be written to", name,
        size)
      check(not name:find("^%.init") and not name:find("^%.ctors") and not name:find("^%.fini"), path,
        "%s of %s bytes runs on its own", name, size)
    end
  end
end

-- -- Libraries ------------------------------------------------------------------------------------------------------

-- The runtime's own archives: not a model's.
local SHARED_PARTS = set "ga_weights ga_program"

local function check_archive(path, model)
  check_defined(path, symbols(path, ""), model)
  if not path:find("libga_program") then check_sections(path) end -- a program keeps what it likes
end

-- A program that is linked with a shared object copies the objects that it names, so that there are two of each.
local function check_objects(path, list, model)
  for _, symbol in ipairs(list) do
    check(symbol.kind == "T" or symbol.name == model .. "_model", path, "shows an object beside its model: %s",
      symbol.name)
  end
end

-- The libraries that it is loaded with: the C library's own.
local function check_needed(path, line)
  local name = line:match("NEEDED.*%[(.-)%]")
  if not name then return end
  name = name:match("^lib(%a+)%.") or name:match("^(ld)%-") or name
  check(name == "c" or name == "m" or name == "pthread" or name == "ld", path, "needs another library, %s", name)
end

local function check_shared(path, model)
  local list = symbols(path, "-D --defined-only")
  check_defined(path, list, model)
  check_objects(path, list, model)
  for line in lines_of("readelf -dW", path) do check_needed(path, line) end
  for line in lines_of("readelf -dlW", path) do
    check(not line:find("TEXTREL"), path, "its code is written to when it is loaded")
    check(not line:find("GNU_STACK.*RWE"), path, "wants a stack that can be executed")
  end
end

for _, path in ipairs(arg) do
  local name, suffix = path:match("lib([%w_]+)%.(%a+)")
  local model = not SHARED_PARTS[name] and name or nil
  if suffix == "a" then check_archive(path, model) else check_shared(path, model) end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
