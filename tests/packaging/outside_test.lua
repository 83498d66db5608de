-- outside_test.lua: a build outside the source folder, as packagers make it: lua outside_test.lua LUA CC. The source is
-- a copy that nobody may write to, under a name with a blank; the model is small, and nothing is optimized.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local lua, cc = arg[1], arg[2]
local PARTS = "LICENSE Makefile README.md SECURITY.md CHANGELOG.md CONTRIBUTING.md configure rules.ninja bench " ..
  "bindings demo docs generator program runtime specs templates tests text tools"
local OPTIONS = "--isa scalar CFLAGS=-O0" .. (compat.execute("command -v python3 >/dev/null") and " --python" or "")

compat.execute("chmod -R u+w out/test/generator/outside 2>/dev/null")
local folder = fact.folder("outside")
local source, build = folder .. "sou rce", folder .. "bu ild"

-- Runs sh words in a folder; returns what was said, and the exit code.
local function run(where, words)
  return compat.capture(("cd %s && LUA=%s CC=%s && export LUA CC && %s"):format(fmt.sh_quote(where), lua,
    fmt.sh_quote(cc), words))
end

-- The same, which must succeed.
local function succeeds(where, words)
  local said, code = run(where, words)
  fact.equal(code == 0 and "" or said, "")
  return said
end

local function make_source()
  succeeds(".", ("mkdir -p %s %s && for part in %s %s; do [ ! -e \"$part\" ] || cp -RL \"$part\" %s || exit 1; " ..
    "done"):format(fmt.sh_quote(source), fmt.sh_quote(build), PARTS, fact.build_file, fmt.sh_quote(source)))
  succeeds(folder, "chmod -R a-w 'sou rce' && sleep 0.1 && touch stamp")
end

-- configure refuses with this exit code and words, and leaves the folder as it was.
local function refuses(where, words, code, part)
  local before = fs.list(where)
  local said, got = run(where, words)
  fact.contains(said, part)
  fact.equal(got, code)
  fact.lists_equal(fs.list(where), before)
end

make_source()

fact.holds("help and wrong usage write nothing", function()
  fact.contains(succeeds(build, "'../sou rce/configure' --help"), "Usage: ")
  refuses(build, "'../sou rce/configure' --haeds 3", 2, "../sou rce/configure: unknown option '--haeds'")
  fact.lists_equal(assert(fs.list(build)), {})
end)

fact.holds("a folder that is in use for something else is refused, and stays as it is", function()
  for _, name in ipairs({ "out", "tests", "build.ninja", "source" }) do
    local used, words = folder .. "used " .. name, "'../sou rce/configure' " .. OPTIONS
    succeeds(folder, ("mkdir -p 'used %s'/%s/own"):format(name, name))
    refuses(used, words, 1, ("'%s' in "):format(name))
    refuses(used, words, 1, "make an empty folder for the build and call configure there")
  end
  succeeds(folder, "mkdir linked && ln -s /nowhere linked/demo")
  refuses(folder .. "linked", "'../sou rce/configure' " .. OPTIONS, 1, "'demo' in ")
end)

fact.holds("a folder that takes no files is refused with what to do", function()
  local configure = fmt.sh_quote(succeeds(source, "pwd"):gsub("\n", "") .. "/configure")
  local said, code = run("/proc", configure .. " " .. OPTIONS)
  fact.contains(said, "make a folder elsewhere and call configure there")
  fact.equal(code, 1)
end)

fact.holds("all that ninja makes is made outside", function()
  local said = succeeds(build, "'../sou rce/configure' --d-model 8 --heads 2 --name tiny " .. OPTIONS)
  fact.contains(said, "out/bin/tiny, out/lib/libtiny.a and out/include/tiny.h")
  succeeds(build, "ninja all demo && ninja demo")
  fact.contains(succeeds(build, "out/bin/tiny info"), "d_model 8, n_heads 2")
  succeeds(build, "DESTDIR=$PWD/out/dest ninja install && test -x out/dest/usr/local/bin/tiny && " ..
    "test -e out/dest/usr/local/include/genattn/model.h")
  fact.contains(succeeds(build, "ninja"), "no work to do")
end)

fact.holds("make is told where ninja is", function()
  if not compat.execute("command -v make >/dev/null") then return end
  fact.contains(succeeds(build, "make"), "no work to do")
  local said, code = run(source, "make")
  fact.contains(said, "run ./configure first")
  fact.equal(code ~= 0, true)
end)

fact.holds("ninja before configure shows what to do", function()
  local said, code = run(source, "ninja")
  fact.contains(said, "run_configure_first")
  fact.equal(code, 1)
end)

fact.holds("what is made holds no absolute path", function()
  local here = succeeds(folder, "pwd"):gsub("\n", "")
  local said = run(build, ("grep -rlF %s out/bin out/lib out/include out/gen out/obj"):format(fmt.sh_quote(here)))
  fact.equal(said, "")
end)

fact.holds("ninja runs configure again when the source changes, as does ./configure", function()
  succeeds(source, "touch -d '1 hour' generator/ninja.lua")
  fact.contains(succeeds(build, "ninja"), "CONFIGURE")
  succeeds(source, "touch -r specs/demo.lua generator/ninja.lua")
  succeeds(build, "./configure --d-model 8 --heads 2 --name tiny " .. OPTIONS)
  fact.contains(succeeds(build, "ninja -n"), "no work to do")
end)

fact.holds("nothing was written to the source", function()
  fact.equal(succeeds(folder, "find 'sou rce' -newer stamp"), "")
end)

fact.holds("a folder goes on with a source that was moved, and refuses another", function()
  succeeds(folder, "cp -RL 'sou rce' other")
  refuses(build, "../other/configure " .. OPTIONS, 1, "make another folder to build ")
  succeeds(folder, "chmod u+w 'sou rce' && mv 'sou rce' moved")
  succeeds(build, "../moved/configure --d-model 8 --heads 2 --name tiny " .. OPTIONS)
  fact.contains(succeeds(build, "ninja -n"), "no work to do")
end)

compat.execute("chmod -R u+w " .. folder)
fact.finish()
