-- run.lua: the tests of the Lua modules in each of their hosts, and the same bits from all: lua run.lua FOLDER PROGRAM
-- HOST... FOLDER has lua/, the modules of the test models; PROGRAM is that of transformer_40_2; a HOST is a command.
-- Has no test of its own but that of the bits. The last line is 'N passed, N failed'.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local folder, program = arg[1], arg[2]
local passed, failed, digests = 0, 0, {}

for i = 3, #arg do
  local digest = ("%s/lua/digest_%d"):format(folder, i)
  local command = ("LUA_PATH='%s/lua/?.lua;tests/program/?.lua' LUA_CPATH='%s/lua/?.so' %s %s %s %s %s"):format(folder,
    folder, arg[i], "tests/bindings/lua/host_test.lua", fmt.sh_quote(folder .. "/lua"), fmt.sh_quote(program), digest)
  local output, code = compat.capture(command)
  local good, bad = output:match("(%d+) passed, (%d+) failed\n$")
  io.stdout:write(arg[i], ": ", output)
  passed, failed = passed + tonumber(good or 0), failed + tonumber(bad or 1)
  if code ~= 0 and bad == "0" then failed = failed + 1 end
  digests[#digests + 1] = fs.read(digest) or arg[i] .. " wrote none"
end
for i = 2, #digests do
  if digests[i] == digests[1] then passed = passed + 1 else
    failed = failed + 1
    print(("FAIL: %s and %s give other bits"):format(arg[3], arg[2 + i]))
  end
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
