-- configure_lua_test.lua: configure --lua: which edges there are for modules of Lua, and what their files say of the
-- model. No module is compiled; tests/bindings/lua and tests/bindings/luajit are about those.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"

local lua = compat.version:find("JIT") and "luajit" or "lua5.4"
local folder = fact.folder("configure_lua")

fact.link_source(folder)

local function configure(words)
  return compat.capture(("cd %s && LUA=%s ./configure --d-model 8 --heads 2 --name some %s"):format(folder, lua, words))
end

fact.holds("--lua has edges for a module, and else there are none; a sanitizer cannot be in one", function()
  local said, code = configure("--enable-sanitize --lua")
  fact.equal(code, 1)
  fact.contains(said, "--lua: a sanitizer must be the program's own")
  local configured
  configured, code = configure("--lua")
  fact.equal(code == 0 and "" or configured, "")
  local products = assert(fs.read(folder .. "out/products.list"))
  for _, path in ipairs { "out/lua/some.lua", "out/lua/some/library.so", "out/lua/genattn/call.lua",
    "out/lua/genattn/ffi.lua", "out/lua/genattn/declarations.lua" } do
    fact.contains(products, path)
  end
  said, code = compat.capture(("ninja -C %s -t query lua_some"):format(folder))
  fact.equal(code == 0 and "" or said, "")
  fact.contains(said, "out/lua/some/library.so")
  -- Lua 5.4 gets a C module and a rockspec where its header is.
  local has_header = not configured:find("checking for liblua5.4... no", 1, true)
  for _, path in ipairs { "out/lua/some/core%.so", "out/lua/some%-[%d.]+%-1%.rockspec" } do
    fact.equal(products:find(path) ~= nil, has_header)
  end
  configure("")
  assert(not assert(fs.read(folder .. "out/kernels.ninja")):find("out/lua/", 1, true))
end)

fact.holds("--lua says what it leaves out where Lua's headers are missing, and no one else is told", function()
  local lacking = "off       modules for Lua 5.4; those for LuaJIT are made: no headers of Lua 5.4 " ..
    "(Debian: liblua5.4-dev)\n"
  assert(fs.write_if_changed(folder .. "lacking-cc", [[
#!/bin/sh
# A compiler that finds no library of Lua's.
case " $* " in *" -llua5.4"*) exit 1 ;; *) exec cc "$@" ;; esac
]]))
  assert(compat.execute(("chmod +x %slacking-cc"):format(folder)))
  local said, code = configure("--lua CC=./lacking-cc")
  fact.equal(code == 0 and "" or said, "")
  fact.contains(said, lacking)
  fact.contains(assert(fs.read(folder .. "out/products.list")), "out/lua/genattn/ffi.lua")
  said = configure("CC=./lacking-cc")
  assert(not said:find("modules for Lua", 1, true), said)
end)

-- The lines that a script of the bindings writes.
local function written(words)
  local text, code = compat.capture(("%s bindings/%s"):format(lua, words))
  fact.equal(code == 0 and "" or text, "")
  return text
end

fact.holds("a module names its model; the declarations have every function that it calls", function()
  fact.contains(written("lua/module_file.lua specs/small.lua"), '"small"')
  local declared, binding = written("luajit/declarations.lua ffi"), assert(fs.read("bindings/luajit/ffi.lua"))
  for name in binding:gmatch('"(ga_[%w_]+)"') do fact.contains(declared, name .. "(") end
  for name in binding:gmatch("lib%.(ga_[%w_]+)") do fact.contains(declared, name .. "(") end
end)

fact.finish()
