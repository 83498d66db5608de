-- same_bytes.lua: generates each spec with each Lua and compares all bytes: lua same_bytes.lua LUAS SPEC... LUAS is a
-- list joined by commas; one that is named twice runs twice.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fmt = require "base.fmt"

-- Runs the generator into a folder of its own; whether it succeeded.
local function generate(lua, path, folder)
  local output, code = compat.capture(("rm -rf %s && %s generator/main.lua --spec %s --out %s"):format(folder, lua,
    fmt.sh_quote(path), folder))
  if code ~= 0 then print(("%s: %s exits %d\n%s"):format(path, lua, code, output)) end
  return code == 0
end

-- Whether every run gives the same files for this spec.
local function is_same(work, luas, path)
  local first = work .. "/1"
  for i, lua in ipairs(luas) do
    local folder = ("%s/%d"):format(work, i)
    if not generate(lua, path, folder) then return false end
    local output, code = compat.capture(("diff -r %s %s"):format(first, folder))
    if code ~= 0 then
      print(("%s: run %d, of %s, differs from the first, of %s\n%s"):format(path, i, lua, luas[1], output))
      return false
    end
  end
  return true
end

local function main(lua_list, ...)
  local luas = {}
  for lua in lua_list:gmatch("[^,]+") do luas[#luas + 1] = lua end
  local work, passed, failed = "out/same_bytes_" .. #luas, 0, 0 -- a folder for each of the steps that use this
  for _, path in ipairs({ ... }) do
    if is_same(work, luas, path) then passed = passed + 1 else failed = failed + 1 end
  end
  print(("%d passed, %d failed"):format(passed, failed))
  return failed == 0
end

os.exit(main(compat.unpack(arg)) and 0 or 1)
