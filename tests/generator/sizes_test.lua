-- sizes_test.lua: the lint of sizes finds a file, a template or a function that is too long, and nothing else.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local folder = fact.folder("sizes")

-- What the lint says of a file of that text; "" where nothing.
local function said(name, text)
  assert(fs.write_if_changed(folder .. name, text))
  local output = compat.capture(("%s tests/lint/sizes.lua %s"):format(fmt.sh_quote(arg[-1]), folder .. name))
  return (output:gsub(folder, ""))
end

-- A function of so many lines in C, or in a template beside lines of Lua.
local function body(lines, more)
  return "void f(void)\n{\n" .. ("    g();\n"):rep(lines - 2) .. (more or "") .. "}\n"
end

local function lua_body(lines)
  return "local function f()\n" .. ("  g()\n"):rep(lines - 2) .. "end\n"
end

fact.holds("a file of C or Lua has at most 400 lines, a template 200", function()
  for name, most in pairs({ ["a.c"] = 400, ["a.h"] = 400, ["a.lua"] = 400, ["a.c.lt"] = 200 }) do
    fact.equal(said(name, ("\n"):rep(most)), "")
    fact.equal(said(name, ("\n"):rep(most + 1)), ("%s: %d lines\n"):format(name, most + 1))
  end
end)

fact.holds("a function has at most 40 lines, in a template 60 without its lines of Lua", function()
  fact.equal(said("a.c", body(40)), "")
  fact.equal(said("a.c", body(41)), "a.c:2: a function of 41 lines\n")
  fact.equal(said("a.lua", lua_body(40)), "")
  fact.equal(said("a.lua", lua_body(41)), "a.lua:1: a function of 41 lines\n")
  fact.equal(said("a.c.lt", body(60, "$   if x then\n$ end\n")), "")
  fact.equal(said("a.c.lt", body(61)), "a.c.lt:2: a function of 61 lines\n")
end)

fact.finish()
