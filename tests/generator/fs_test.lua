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

fact.holds("a part of a file is read from a byte on", function()
  assert(fs.write_if_changed(folder .. "part", "0123456789") ~= nil)
  fact.equal(fs.read_part(folder .. "part", 3, 4), "3456")
  fact.equal(fs.read_part(folder .. "part", 8, 4), "89")
  fact.equal(fs.read_part(folder .. "part", 20, 4), "")
  local nothing, why = fs.read_part(folder .. "no_such_part", 0, 1)
  fact.equal(nothing, nil)
  fact.contains(why, "no_such_part")
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
  fact.equal(compat.capture("find " .. folder .. " -name '.new.*' -o -name '*.tmp'"), "")
end)

-- -- What stands in the way ----------------------------------------------------------------------------------------

-- Runs a line of sh in the folder.
local function sh(line)
  assert(compat.execute(("cd %s && %s"):format(folder, line)))
end

fact.holds("a link in a file's place is replaced, and what it led to stays as it was", function()
  sh("mkdir linked && echo mine >elsewhere && ln -s ../elsewhere linked/a && ln -s nowhere linked/b")
  fact.equal(fs.write_if_changed(folder .. "linked/a", "new"), true)
  fact.equal(fs.write_if_changed(folder .. "linked/b", "new"), true)
  fact.equal(fs.read(folder .. "elsewhere"), "mine\n")
  fact.equal(fs.read(folder .. "linked/a"), "new")
  fact.equal(fs.kind(folder .. "linked/nowhere"), "nothing")
end)

fact.holds("a link to just that content is replaced too", function()
  sh("mkdir alike && printf new >alike/other && ln -s other alike/a")
  fact.equal(fs.write_if_changed(folder .. "alike/a", "new"), true)
  sh("[ ! -L alike/a ] && [ -f alike/a ]")
  fact.equal(fs.write_if_changed(folder .. "alike/a", "new"), false)
end)

fact.holds("a pipe in a file's place is replaced without waiting for it", function()
  sh("mkdir piped && mkfifo piped/a")
  fact.equal(fs.write_if_changed(folder .. "piped/a", "new"), true)
  fact.equal(fs.read(folder .. "piped/a"), "new")
end)

fact.holds("names that a temporary file might have are not followed either", function()
  sh("mkdir planted && echo mine >victim && ln -s ../victim planted/a.tmp")
  fact.equal(fs.write_if_changed(folder .. "planted/a", "new"), true)
  fact.equal(fs.read(folder .. "victim"), "mine\n")
end)

fact.holds("a folder that is a link, or lies behind one, is refused by name", function()
  sh("mkdir -p real/deep && ln -s real link")
  for _, path in ipairs({ "link/x", "link/deep/x", "link/new/x" }) do
    local got, why = fs.write_if_changed(folder .. path, "text")
    fact.equal(got, nil)
    fact.equal(why, folder .. "link: is a symbolic link, and nothing is written through one; put a folder in its place")
  end
  fact.lists_equal(assert(fs.list(folder .. "real")), { "deep" })
  local here = compat.capture("pwd"):gsub("\n$", "")
  local _, why = fs.write_if_changed(here .. "/" .. folder .. "link/x", "text")
  fact.contains(why, "link: is a symbolic link")
  fact.equal(fs.write_if_changed(here .. "/" .. folder .. "absolute/x", "text"), true)
end)

fact.holds("what somebody names is read where it is a file, and never waited for", function()
  sh("mkfifo pipe && ln -s pipe to_pipe && ln -s x deep/er/to_x")
  for path, kind in pairs({ pipe = "other", to_pipe = "other", deep = "other", ["deep/er/x"] = "file",
    ["deep/er/to_x"] = "file", absent = "nothing" }) do
    fact.equal(fs.kind(folder .. path), kind)
  end
  for _, path in ipairs({ "pipe", "to_pipe", "deep" }) do
    local got, why = fs.read_given(folder .. path)
    fact.equal(got, nil)
    fact.equal(why, folder .. path .. ": is not a regular file")
  end
  fact.equal(fs.read_given(folder .. "deep/er/to_x", 3), "a\r\n")
  fact.contains(select(2, fs.read_given(folder .. "absent")), folder .. "absent: No such file")
end)

fact.holds("several files of a folder are written together, those that changed", function()
  fact.lists_equal({ tostring(assert(fs.write_all(folder .. "all", { { "a", "1" }, { "b", "2" } }))[2]) }, { "true" })
  local written = assert(fs.write_all(folder .. "all", { { "a", "1" }, { "b", "3" } }))
  fact.lists_equal({ tostring(written[1]), tostring(written[2]) }, { "false", "true" })
  fact.equal(fs.read(folder .. "all/b"), "3")
end)

fact.holds("a name that is a folder is an error, and nothing is left of the attempt", function()
  sh("mkdir -p taken/a/b")
  local written, why = fs.write_all(folder .. "taken", { { "a", "1" }, { "c", "2" } })
  fact.equal(written, nil)
  fact.contains(why, folder .. "taken/a: cannot be written (")
  fact.lists_equal(assert(fs.list(folder .. "taken")), { "a" })
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
