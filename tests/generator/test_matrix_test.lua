-- test_matrix_test.lua: the lists of test models name models that there are, and one of them uses every template.
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
local fs = require "base.fs"
local isa = require "isa"
local modifier_models = require "build.modifier_models"
local profiles = require "build.test_profiles"
local test_matrix = require "build.test_matrix"
local spec = require "spec"
local used_templates = dofile("tests/generator/used_templates.lua")

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

-- The specs of score modifiers that no test model has on.
local function models_of_modifiers()
  local specs, errors = {}, {}
  for i, file in ipairs(assert(fs.list("tests/specs"))) do specs[i] = assert(spec.read("tests/specs/" .. file)) end
  local list = modifier_models.specs(specs, errors)
  fact.lists_equal(errors, {})
  return list
end

fact.holds("a modifier that no spec has on gets a model, which is on the lists that use every template", function()
  local errors, on = {}, {}
  local specs = modifier_models.specs({}, errors)
  fact.lists_equal(errors, {})
  fact.equal(#specs, #require("attention.modifiers"))
  for _, s in ipairs(specs) do
    for _, list in ipairs({ "every_template", "check", "soak" }) do fact.equal(test_matrix[list][s.name], true) end
    fact.equal(test_matrix.raced[s.name], nil)
    on[1] = s
    fact.equal(#modifier_models.specs(on, errors) < #specs, true)
  end
end)

fact.holds("every model of a list is there", function()
  for _, list in ipairs(sorted(test_matrix)) do
    for _, name in ipairs(sorted(test_matrix[list])) do fact.equal(read(name).name, name) end
  end
end)

-- Emulated kernels run as on a CPU that has everything: one that is compiled as it is would be an illegal instruction.
fact.holds("the models of few have every variant that is emulated, and no other that refines a set", function()
  local has = {}
  for _, name in ipairs(sorted(test_matrix.few)) do
    for _, output in ipairs(emit.outputs(read(name), isa.names())) do
      if output.variant then has[output.variant] = true end
    end
  end
  for _, name in ipairs(sorted(profiles.EMULATED)) do fact.equal(has[name], true, name) end
  for _, name in ipairs(sorted(has)) do assert(profiles.EMULATED[name] or isa.get(name), name .. " is not emulated") end
end)

fact.holds("the models of soak are those of every_template and more", function()
  for _, name in ipairs(sorted(test_matrix.every_template)) do fact.equal(test_matrix.soak[name], true) end
end)

fact.holds("ninja check is about the models of every_template, of the goldens and more", function()
  for _, list in ipairs({ "every_template", "named" }) do
    for _, name in ipairs(sorted(test_matrix[list])) do fact.equal(test_matrix.check[name], true) end
  end
end)

fact.holds("the models of every_template use every template and every stage of fragments", function()
  local used = used_templates.watch()
  local sets = { "avx512", "avx2", "scalar" }
  for _, name in ipairs(sorted(test_matrix.every_template)) do emit.files(read(name), sets) end
  for _, s in ipairs(models_of_modifiers()) do emit.files(s, sets) end
  fact.lists_equal(sorted(used), used_templates.all())
end)

fact.finish()
