-- run.lua: runs every *_test.lua beside it, each in a process of its own under the Lua that runs this, and sums up.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local FOLDER = "tests/generator"

-- The command that started this Lua.
local function interpreter()
  local at = 0
  while arg[at - 1] do at = at - 1 end
  return arg[at]
end

-- Runs one file; prints what it printed if it failed. Returns its counts.
local function run(lua, path)
  local output, code = compat.capture(fmt.sh_quote(lua) .. " " .. path)
  local passed, failed = output:match("(%d+) passed, (%d+) failed%s*$")
  passed, failed = tonumber(passed or 0), tonumber(failed or 0)
  if failed == 0 and (code ~= 0 or passed == 0) then failed = 1 end
  if failed > 0 then print(path .. ":\n" .. output) end
  return passed, failed
end

local total_passed, total_failed = 0, 0
for _, name in ipairs(assert(fs.list(FOLDER))) do
  if name:find("_test%.lua$") then
    local passed, failed = run(interpreter(), FOLDER .. "/" .. name)
    total_passed, total_failed = total_passed + passed, total_failed + failed
  end
end
print(("%d passed, %d failed"):format(total_passed, total_failed))
os.exit(total_failed == 0 and total_passed > 0)
