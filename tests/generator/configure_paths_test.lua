-- configure_paths_test.lua: ./configure where paths have blanks and signs. What it says and writes is in
-- configure_test.lua.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local lua = compat.version:find("JIT") and "luajit" or "lua5.4"

fact.holds("paths may hold blanks and signs: of this folder, of a spec, of where it is installed", function()
  local odd = fact.folder("configure_odd") .. [[sp ace$x'q"d;e]]
  fact.link_source(fmt.sh_quote(odd))
  local path, prefix = "a $b (c) #d:e,!.lua", "/p $q 'r\"s;t"
  assert(fs.write_if_changed(odd .. "/" .. path, '{ name = "odd", d_model = 8, n_heads = 2 }'))
  local words = ("cd %s && LUA=%s ./configure --isa scalar --spec %s --prefix %s && ninja out/gen/odd/odd.h && ninja "
    .. "out/gen/odd/odd.h"):format(fmt.sh_quote(odd), lua, fmt.sh_quote(path), fmt.sh_quote(prefix))
  local said, code = compat.capture(words)
  fact.equal(code == 0 and "" or said, "")
  fact.contains(said, "EMIT out/gen/odd")
  fact.contains(said, "ninja: no work to do.")
  fact.contains(assert(fs.read(odd .. "/out/install/files.list")), "out/lib/libodd.a\t" .. prefix .. "/lib/libodd.a\n")
end)

fact.finish()
