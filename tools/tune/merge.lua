-- merge.lua: `WISDOM="A B" ninja wisdom-merge`: several files of wisdom as one: of two entries for one key that which
-- gains more, or the first. lua merge.lua "A B" [FILE]: on standard output if no file is given.
package.path = "tools/?.lua;generator/?.lua;generator/?/init.lua;" .. package.path

local fs = require "base.fs"
local wisdom = require "plan.wisdom"

local lists = {}
for path in (arg[1] or ""):gmatch("%S+") do
  local entries, why = wisdom.read(path)
  if not entries then
    io.stderr:write("wisdom-merge: ", why, "\n")
    os.exit(1)
  end
  lists[#lists + 1] = entries
end
if #lists == 0 then
  io.stderr:write("wisdom-merge: no file is named; expected WISDOM=\"A.txt B.txt\" ninja wisdom-merge\n")
  os.exit(1)
end
local merged, path = wisdom.text(wisdom.merge(lists)), arg[2]
if not path then
  io.stdout:write(merged)
  return
end
local written, why = fs.write_all(path:match("^(.*)/") or ".", { { path:match("[^/]*$"), merged } })
if not written then
  io.stderr:write("wisdom-merge: ", why, "\n")
  os.exit(1)
end
print("wrote " .. path)
