-- compat_test.lua: what base/compat.lua promises, under the Lua that runs it.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"

fact.holds("unpack gives an array's values", function()
  local a, b, c = compat.unpack({ 1, "two", false })
  assert(a == 1 and b == "two" and c == false)
end)

fact.holds("version names the Lua", function()
  assert(compat.version:find("^Lua") ~= nil)
end)

fact.holds("execute tells success from exit codes and signals", function()
  local ok, code = compat.execute("true")
  assert(ok == true and code == 0)
  ok, code = compat.execute("exit 3")
  assert(ok == false and code == 3)
  ok, code = compat.execute("kill -9 $$")
  assert(ok == false and code == 128 + 9)
end)

fact.holds("capture gives both streams and the exit code", function()
  local output, code = compat.capture("echo out; echo err >&2; exit 4")
  fact.equal(output, "out\nerr\n")
  fact.equal(code, 4)
end)

fact.holds("capture keeps output without a last newline, and digits at its end", function()
  local output, code = compat.capture("printf 'a 7'")
  fact.equal(output, "a 7")
  fact.equal(code, 0)
end)

fact.holds("a chunk that was read once runs in many scopes, also in one within another", function()
  local run
  local scoped = compat.with_scope("local n = x\nif inner then inner() end\nreturn n + x\n", "@a name")
  local function inner() fact.equal(run({ x = 5 }), 10) end
  function run(scope) return scoped(scope)() end
  fact.equal(run({ x = 1 }), 2)
  fact.equal(run({ x = 2, inner = inner }), 4)
  local ok, why = pcall(scoped({ x = 1, inner = function() error("here", 2) end }))
  fact.equal(ok, false)
  fact.equal(why, "a name:2: here")
end)

fact.holds("module_file finds modules by package.path", function()
  fact.equal(compat.module_file("base.compat"), "generator/base/compat.lua")
  fact.equal(compat.module_file("no.such.module"), nil)
end)

fact.finish()
