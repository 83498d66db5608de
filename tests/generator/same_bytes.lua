-- same_bytes.lua: generates each spec several times with each Lua and compares all bytes:
-- lua same_bytes.lua LUAS RUNS SPEC... LUAS is a list joined by commas.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fmt = require "base.fmt"

local WORK = "out/same_bytes_" .. arg[2]

-- Runs the generator into a folder of its own; whether it succeeded.
local function generate(lua, path, folder)
  local output, code = compat.capture(("rm -rf %s && %s generator/main.lua --spec %s --out %s"):format(folder, lua,
    fmt.sh_quote(path), folder))
  if code ~= 0 then print(("%s: %s exits %d\n%s"):format(path, lua, code, output)) end
  return code == 0
end

-- Whether so many runs of every Lua give the same files for this spec.
local function is_same(luas, runs, path)
  local first
  for i, lua in ipairs(luas) do
    for run = 1, runs do
      local folder = ("%s/%d_%d"):format(WORK, i, run)
      if not generate(lua, path, folder) then return false end
      first = first or folder
      local output, code = compat.capture(("diff -r %s %s"):format(first, folder))
      if code ~= 0 then
        print(("%s: run %d of %s differs from the first of %s\n%s"):format(path, run, lua, luas[1], output))
        return false
      end
    end
  end
  return true
end

local function main(lua_list, runs, ...)
  local luas = {}
  for lua in lua_list:gmatch("[^,]+") do luas[#luas + 1] = lua end
  local passed, failed = 0, 0
  for _, path in ipairs({ ... }) do
    if is_same(luas, tonumber(runs), path) then passed = passed + 1 else failed = failed + 1 end
  end
  print(("%d passed, %d failed"):format(passed, failed))
  return failed == 0
end

os.exit(main(compat.unpack(arg)) and 0 or 1)
