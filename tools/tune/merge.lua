-- merge.lua: `WISDOM="A B" ninja wisdom-merge`: several files of wisdom as one, on standard output: of two entries for
-- one key that which gains more, or the first.
package.path = "tools/?.lua;generator/?.lua;generator/?/init.lua;" .. package.path

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
io.stdout:write(wisdom.text(wisdom.merge(lists)))
