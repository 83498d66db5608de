-- release_test.lua: the archive of genattn itself, with git and without, and the version, which stands in one place:
-- lua release_test.lua LUA CC. That what is in it builds is outside_test.lua's part.
local packaging = dofile("tests/packaging/packaging.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local fact, succeeds = packaging.fact, packaging.succeeds
local folder, source = packaging.folder("release"), packaging.source()
local VERSION = require("build.release")().version
local FULL = "genattn-" .. VERSION

-- Makes the archive of a source in a folder; its path.
local function made(from, to)
  succeeds(folder, ("mkdir -p %s && cd %s && sh %s/tools/dist/release.sh"):format(to, to, fmt.sh_quote(from)))
  return ("%s%s/out/dist/%s.tar.gz"):format(folder, to, FULL)
end

local archive = made(source, "first")
succeeds(folder, "tar -xzf " .. fmt.sh_quote(archive))

fact.holds("the archive of what is in the archive has the same bytes, without git", function()
  assert(not fs.exists(folder .. FULL .. "/.git"))
  succeeds(folder, ("cmp %s %s"):format(fmt.sh_quote(archive), fmt.sh_quote(made(folder .. FULL, "second"))))
end)

fact.holds("it has what a build and the tests read, and nothing that was made", function()
  for _, name in ipairs({ "configure", "build.ninja", "LICENSE", "CHANGELOG.md", "generator/main.lua", ".ci/run",
    "templates/install/model.pc.in", "tests/golden/goldens.txt", "runtime/include/genattn/model.h" }) do
    assert(fs.exists(folder .. FULL .. "/" .. name), name)
  end
  assert(not fs.exists(folder .. FULL .. "/out"))
end)

fact.holds("configure takes it as it is", function()
  fact.contains(succeeds(folder .. FULL, "./configure " .. packaging.OPTIONS), "out/lib/libmha_512_8.a")
end)

fact.holds("the changelog has the version, and no other file says it once more", function()
  fact.contains(assert(fs.read("CHANGELOG.md")), ("\n## [%s] - "):format(VERSION))
  local pattern = ("define GA_VERSION\\|\"%s\""):format((VERSION:gsub("%.", "\\.")))
  local said = compat.capture(("cd %s && grep -rl %s --include='*.[chl]*' --include=configure --include='*.ninja' " ..
    "configure *.ninja generator program runtime templates tools"):format(fmt.sh_quote(source), fmt.sh_quote(pattern)))
  fact.equal(said, "program/commands/program.h\n")
end)

compat.execute("rm -rf " .. fmt.sh_quote(folder))
fact.finish()
