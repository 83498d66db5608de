-- fs_test.lua: files read and written whole.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"

local folder = fact.folder("fs")

fact.holds("a file reads back byte for byte, its folders made", function()
  local content = "a\r\nb\0c\n"
  fact.equal(fs.write_if_changed(folder .. "deep/er/x", content), true)
  fact.equal(fs.read(folder .. "deep/er/x"), content)
end)

fact.holds("the same text leaves the file's time stamp", function()
  local path = folder .. "stamp"
  assert(fs.write_if_changed(path, "same"))
  assert(compat.execute("touch -d 2001-01-01 " .. path))
  fact.equal(fs.write_if_changed(path, "same"), false)
  fact.equal(compat.capture("find " .. path .. " -newermt 2002-01-01"), "")
  fact.equal(fs.write_if_changed(path, "other"), true)
  fact.equal(compat.capture("find " .. path .. " -newermt 2002-01-01"), path .. "\n")
end)

fact.holds("an empty file is written where there is none", function()
  fact.equal(fs.write_if_changed(folder .. "empty", ""), true)
  fact.equal(fs.exists(folder .. "empty"), true)
end)

fact.holds("no temporary file stays behind", function()
  fact.equal(compat.capture("find " .. folder .. " -name '*.tmp'"), "")
end)

fact.holds("errors name the path", function()
  local got, why = fs.read(folder .. "absent")
  fact.equal(got, nil)
  fact.contains(why, folder .. "absent: ")
  got, why = fs.read(folder .. "deep")
  fact.equal(got, nil)
  fact.contains(why, folder .. "deep: ")
  got, why = fs.write_if_changed(folder .. "deep/er", "text")
  fact.equal(got, nil)
  fact.contains(why, folder .. "deep/er")
  got, why = fs.write_if_changed(folder .. "stamp/below", "text")
  fact.equal(got, nil)
  fact.contains(why, folder .. "stamp")
  got, why = fs.list(folder .. "absent")
  fact.equal(got, nil)
  fact.contains(why, folder .. "absent")
end)

fact.holds("list is in byte order, hidden files included", function()
  for _, name in ipairs({ "b", "a b", ".c", "B" }) do assert(fs.write_if_changed(folder .. "list/" .. name, "x")) end
  fact.lists_equal(assert(fs.list(folder .. "list")), { ".c", "B", "a b", "b" })
end)

fact.holds("names with blanks and quotes are no trouble", function()
  fact.equal(fs.write_if_changed(folder .. "it's $x/y z", "text"), true)
  fact.equal(fs.read(folder .. "it's $x/y z"), "text")
end)

fact.holds("inputs are the script, the modules and the files read, sorted, once each", function()
  local inputs = table.concat(fs.inputs(), "\n") .. "\n"
  fact.contains(inputs, "generator/base/fs.lua\n")
  fact.contains(inputs, "tests/generator/fs_test.lua\n")
  fact.contains(inputs, folder .. "deep/er/x\n")
  local sorted = fs.inputs()
  for i = 2, #sorted do assert(sorted[i - 1] < sorted[i]) end
end)

fact.finish()
