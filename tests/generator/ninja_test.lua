-- ninja_test.lua: what the ninja writer writes, and that ninja itself reads it back.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"
local ninja = require "ninja"

local function written(fill)
  local w = ninja.writer()
  fill(w)
  return w:text()
end

fact.holds("variables are escaped unless they are raw", function()
  fact.equal(written(function(w)
    w:variable("a", "cost $5")
    w:variable("b", ninja.raw("$a -O2"))
  end), "a = cost $$5\nb = $a -O2\n")
end)

fact.holds("an edge has its parts in ninja's order", function()
  fact.equal(written(function(w)
    w:build({ rule = "cc", outputs = { "a.o" }, implicit_outputs = { "a.d" }, inputs = { "a.c", "b c" },
      implicit = { "tool" }, order_only = { "x.h" }, variables = { { "flags", "-g" } } })
  end), "build a.o | a.d: cc a.c b$ c | tool || x.h\n  flags = -g\n")
end)

fact.holds("an edge may have outputs only", function()
  fact.equal(written(function(w) w:build({ rule = "r", outputs = { "a:b" }, inputs = {} }) end), "build a$:b: r\n")
end)

fact.holds("long edges are folded within the width", function()
  local inputs = {}
  for i = 1, 60 do inputs[i] = ("folder/object_%02d.o"):format(i) end
  local text = written(function(w) w:phony("all", inputs) end)
  for line in text:gmatch("[^\n]+") do assert(#line <= 120, line) end
  fact.equal((text:gsub(" %$\n +", " ")), "build all: phony " .. table.concat(inputs, " ") .. "\n")
end)

fact.holds("comments stay comments", function()
  fact.equal(written(function(w) w:comment("a\nbuild x: y") end), "# a build x: y\n")
end)

fact.holds("ninja builds files with odd names from it, and follows its depfiles", function()
  local folder = fact.folder("ninja")
  local odd = "$a b:c"
  local file = written(function(w)
    w:line("rule copy\n  command = cat $in >$out\n  depfile = d")
    w:build({ rule = "copy", outputs = { "out " .. odd }, inputs = { odd } })
  end)
  assert(fs.write_if_changed(folder .. "build.ninja", file))
  assert(fs.write_if_changed(folder .. odd, "content"))
  assert(fs.write_if_changed(folder .. "other #1 $", "x"))
  assert(fs.write_if_changed(folder .. "d", ninja.depfile("out " .. odd, { odd, "other #1 $" })))
  local output, code = compat.capture("ninja -C " .. folder)
  fact.equal(code == 0 and "built" or output, "built")
  fact.equal(fs.read(folder .. "out " .. odd), "content")
  fact.contains(compat.capture("ninja -C " .. folder), "no work to do")
  assert(compat.execute("touch -d '1 hour' '" .. folder .. "other #1 $'"))
  fact.contains(compat.capture("ninja -n -d explain -C " .. folder), "other #1 $")
end)

fact.holds("ninja reads every name in a depfile that is not called unspeakable, and no other", function()
  local folder = fact.folder("ninja_names")
  local rule = "rule r\n  command = touch $out\n  depfile = d\nbuild out: r\n"
  local function reads(names)
    assert(fs.write_if_changed(folder .. "build.ninja", rule) ~= nil)
    assert(fs.write_if_changed(folder .. "d", ninja.depfile("out", names)) ~= nil)
    for _, name in ipairs(names) do assert(fs.write_if_changed(folder .. name, "x") ~= nil) end
    assert(compat.execute("rm -f " .. folder .. ".ninja_log && touch " .. folder .. "out"))
    compat.execute("ninja -C " .. folder .. " >" .. folder .. "said")
    return compat.capture("ninja -C " .. folder):find("no work to do", 1, true) ~= nil
  end
  local names = {}
  for byte = 1, 255 do
    local name = "a" .. string.char(byte) .. "b"
    if byte ~= 47 and not ninja.unspeakable(name) then names[#names + 1] = name end
  end
  fact.equal(reads(names), true)
  for _, name in ipairs({ "a;b", "a'b", "a*b" }) do fact.equal(reads({ name }), false) end
end)

fact.holds("a word of a command is one word whatever is in it", function()
  local folder = fact.folder("ninja_words")
  local word = [[a b$c"d';touch x;#&*~(`e`)]]
  local file = written(function(w)
    w:line("rule say\n  command = printf '%s' $word >$out")
    w:build({ rule = "say", outputs = { "out" }, variables = { { "word", ninja.word(word) } } })
  end)
  assert(fs.write_if_changed(folder .. "build.ninja", file))
  local output, code = compat.capture("ninja -C " .. folder)
  fact.equal(code == 0 and "built" or output, "built")
  fact.equal(fs.read(folder .. "out"), word)
end)

fact.finish()
