-- configure_old_test.lua: configure with a compiler that is older than some instructions, which a script around this
-- one's plays. What it says otherwise is in configure_test.lua.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"

local lua = compat.version:find("JIT") and "luajit" or "lua5.4"
local folder = fact.folder("configure_old")

fact.link_source(folder)
assert(fs.write_if_changed(folder .. "old-cc", [[
#!/bin/sh
case " $* " in
    *" -mavxvnni "*) exit 1 ;;
    *) exec cc "$@" ;;
esac
]]))
assert(compat.execute(("chmod +x %sold-cc"):format(folder)))

local function configure(words)
  return compat.capture(("cd %s && LUA=%s CC=./old-cc ./configure --d-model 8 --heads 2 %s"):format(folder, lua, words))
end

fact.holds("a variant that the compiler has no flag for is told of with its set, where a model has it", function()
  local machine = compat.capture("cc -dumpmachine")
  if not machine:find("^x86_64") then return end
  local said, code = configure("--isa avx2,scalar --dtype int8")
  fact.equal(code, 1)
  fact.contains(said, "\n./configure: mha_8_2: avx2vnni needs -mavxvnni, which the compiler does not take; give " ..
    "--isa without avx2\n")
  for _, words in ipairs({ "--isa scalar --dtype int8", "--isa avx2,scalar" }) do
    said, code = configure(words)
    fact.equal(code == 0 and "" or said, "")
  end
end)

fact.finish()
