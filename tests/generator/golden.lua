-- golden.lua: compares what the generator writes for a few small specs with the reviewed files in tests/golden, or
-- rewrites those ("update"). A file too many or too few is a difference like any other. A spec may have a file
-- NAME.wisdom beside it.
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path

local compat = require "base.compat"
local emit = require "emit"
local fmt = require "base.fmt"
local fs = require "base.fs"
local spec = require "spec"
local wisdom = require "plan.wisdom"

local FOLDER = "tests/golden"

-- The lines "spec.lua isa files..." of goldens.txt, whose files are what follows the model's name in theirs; each line
-- has the folder <name>__<isa>.
local function read_list()
  local list = {}
  for line in assert(fs.read(FOLDER .. "/goldens.txt")):gmatch("[^\n]+") do
    local path, isa, kept = line:match("^([^#%s]%S*)%s+(%S+)%s+(%S.*)$")
    if path then
      list[#list + 1] = { path = path, isa = isa, kept = kept, name = path:match("([^/]*)%.lua$") .. "__" .. isa }
    end
  end
  return list
end

-- Gives a spec the wisdom that lies beside it, if there is any.
local function take_wisdom(s, path)
  if not fs.exists(path) then return end
  s.wisdom, s.wisdom_path = assert(wisdom.of_spec(assert(wisdom.read(path)), s)), path
end

-- The reviewed files of a golden as the generator makes them now.
local function generate(golden)
  local s, errors = spec.read(golden.path)
  if not s then error(table.concat(errors, "\n"), 0) end
  s.path = golden.path
  take_wisdom(s, golden.path:gsub("%.lua$", ".wisdom"))
  local made, list = {}, {}
  for _, file in ipairs(emit.files(s, { golden.isa })) do made[file.path] = file end
  for ending in golden.kept:gmatch("%S+") do
    list[#list + 1] = made[s.name .. ending] or error(golden.path .. " makes no file " .. s.name .. ending, 0)
  end
  return list
end

local function write_all(folder, files)
  local kept = {}
  for _, file in ipairs(files) do
    kept[file.path] = true
    assert(fs.write_if_changed(folder .. "/" .. file.path, file.text) ~= nil)
  end
  for _, name in ipairs(assert(fs.list(folder))) do
    if not kept[name] then assert(os.remove(folder .. "/" .. name)) end
  end
end

-- Whether the reviewed folder holds just these files; prints the difference where it does not.
local function compare(golden, files)
  local made = "out/golden/" .. golden.name
  write_all(made, files)
  local output, code = compat.capture(("diff -r -u -N %s %s"):format(fmt.sh_quote(FOLDER .. "/" .. golden.name),
    fmt.sh_quote(made)))
  if code ~= 0 then print(output) end
  return code == 0
end

local actions = {}

function actions.update()
  for _, golden in ipairs(read_list()) do
    write_all(FOLDER .. "/" .. golden.name, generate(golden))
    print("wrote " .. FOLDER .. "/" .. golden.name)
  end
  return true
end

function actions.compare()
  local passed, failed = 0, 0
  for _, golden in ipairs(read_list()) do
    if compare(golden, generate(golden)) then passed = passed + 1 else failed = failed + 1 end
  end
  if failed > 0 then print("if the new text is right, review it and run: ninja golden-update") end
  print(("%d passed, %d failed"):format(passed, failed))
  return failed == 0 and passed > 0
end

os.exit(actions[arg[1]]() and 0 or 1)
