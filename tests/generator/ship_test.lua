-- ship_test.lua: the specs that ship as documentation are specs: each is read, and generated for two instruction sets.
-- What the code does is other tests' part.
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
local fs = require "base.fs"
local spec = require "spec"

local function check(path, name)
  fact.contains(assert(fs.read(path)):sub(1, 3), "-- ")
  local s, errors = spec.read(path)
  if not s then error(table.concat(errors, "\n")) end
  fact.equal(s.name, name)
  assert(#emit.files(s, { "avx512", "scalar" }) > 5, name)
end

fact.holds("every spec that ships says what it is, has its file's name, and is made", function()
  local count = 0
  for _, file in ipairs(assert(fs.list("specs"))) do
    if file ~= "README.md" then
      check("specs/" .. file, file:match("^(.*)%.lua$"))
      count = count + 1
    end
  end
  assert(count >= 16, count)
end)

fact.finish()
