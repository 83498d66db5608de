-- roles_test.lua: the roles that specs say are known, and those of some roles have what their tests need.
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
local fs = require "base.fs"
local isa = require "isa"
local modifier_models = require "tests.build.modifier_models"
local profiles = require "tests.build.profiles"
local roles = require "tests.build.roles"
local spec = require "spec"

-- The names in a set, in order.
local function sorted(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  table.sort(names)
  return names
end

local function read(name)
  return assert(spec.read(("tests/specs/%s.lua"):format(name)))
end

fact.holds("a modifier that no spec has on gets a model, which is on the lists that use every line", function()
  local errors, on = {}, {}
  local specs = modifier_models.specs({}, errors)
  fact.lists_equal(errors, {})
  fact.equal(#specs, #require("attention.modifiers"))
  for _, s in ipairs(specs) do
    for _, list in ipairs({ "every_line", "every_template", "check", "soak" }) do
      fact.equal(roles[list][s.name], true)
    end
    fact.equal(roles.races[s.name], nil)
    on[1] = s
    fact.equal(#modifier_models.specs(on, errors) < #specs, true)
  end
end)

fact.holds("a file of a test model has its model's name", function()
  for _, file in ipairs(assert(fs.list("tests/specs"))) do
    local name = file:match("^(.*)%.lua$")
    fact.equal(read(name).name, name)
  end
end)

-- The sets that an x86-64 machine compiles, whose variants tests/emulate writes in terms of AVX2.
local function of_x86()
  local names = {}
  for _, name in ipairs(isa.names()) do names[#names + 1] = isa.is_of(isa.get(name), "x86_64") and name or nil end
  return names
end

-- Emulated kernels run as on a CPU that has everything: one that is compiled as it is would be an illegal instruction.
fact.holds("emulated models have every variant that is emulated, and no other that refines a set", function()
  local has = {}
  for _, name in ipairs(sorted(roles.emulated)) do
    for _, output in ipairs(emit.outputs(read(name), of_x86())) do
      if output.variant then has[output.variant] = true end
    end
  end
  for _, name in ipairs(sorted(profiles.EMULATED)) do fact.equal(has[name], true, name) end
  for _, name in ipairs(sorted(has)) do assert(profiles.EMULATED[name] or isa.get(name), name .. " is not emulated") end
end)

fact.holds("a role brings those that belong to it, and an unknown one is refused with those that there are", function()
  local folder = fact.folder("roles")
  assert(fs.write_all(folder, { { "one.lua", "-- A comment.\n-- test: soak, every_template\nreturn {}\n" },
    { "two.lua", "return {}\n" } }))
  local said = roles.read(folder)
  fact.lists_equal(sorted(said.bits), { "one" })
  fact.lists_equal(sorted(said.wheels), {})
  assert(fs.write_all(folder, { { "two.lua", "-- test: wheel\n" } }))
  fact.raises("two.lua: a test model has no role 'wheel'; roles: bits, ", roles.read, folder)
end)

fact.finish()
