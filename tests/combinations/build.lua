-- build.lua: writes the specs of combinations.lua and a ninja file that builds them and runs the kernel facts on each
-- with a part of the usual work; and the list by which tests/tools/check.lua sums up what they said.
-- Builds nothing itself: `ninja check-combinations` has this write, then runs that file, then sums up.
--
--     lua5.4 tests/combinations/build.lua out/combinations avx512
package.path = "generator/?.lua;generator/?/init.lua;?.lua;" .. package.path
local Edges = require "build.edges"
local Steps = require "tests.build.step_edges"
local combinations = dofile("tests/combinations/combinations.lua")
local fs = require "base.fs"
local saved = require "build.saved"
local spec = require "spec"

-- Percent of the shapes' multiply-adds. Models are small, so that few shapes are left out.
local EFFORT = 5

-- What the facts are made of, which the build around this one has made.
local FACTS = "out/obj/tests/standalone/standalone_kernels.o"
local ARCHIVES = { "out/test/libsupport.a", "out/obj/libga_core.a" }

local RULES = [[
# Written by tests/combinations/build.lua.
builddir = %s
include out/config.ninja
include rules.ninja
]]

-- The models { spec, path }, each in a file of its own.
local function write_models(folder)
  local models = {}
  for n, choice in ipairs(combinations.cover(combinations.pairs(), combinations.SEED)) do
    local s = assert(combinations.spec(choice, ("pair_%02d"):format(n)))
    local path = ("%s/%s.lua"):format(folder, s.name)
    assert(fs.write_if_changed(path, spec.text(s)) ~= nil, path)
    models[n] = { spec = s, path = path }
  end
  return models
end

-- The binary with the facts and all models.
local function add_binary(edges, profile, models)
  local objects = edges:models_with_table(profile, models, "$runtime_includes $test_includes")
  return edges:link(profile, profile.test .. "/kernels", Edges.joined({ FACTS }, objects, ARCHIVES),
    "$program_libraries")
end

local function write(folder, isas)
  local intrinsics = saved.read().answers.precompiles and folder .. "/intrinsics"
  local edges, list = Edges.new(isas, 0, { intrinsics = intrinsics }), {}
  local profile = { obj = folder .. "/obj", test = folder, variables = { { "opt", "-Og" } } }
  local models = write_models(folder)
  edges.w:line(RULES:format(folder))
  local binary, steps = add_binary(edges, profile, models), Steps.new(edges.w, folder)
  for i, model in ipairs(models) do
    list[i] = steps:add({ name = "facts of " .. model.path, inputs = { binary },
      command = ("%s %d %s"):format(binary, EFFORT, model.spec.name) })
  end
  steps:list("check", "always", list)
  local texts = steps:lists()
  texts[#texts + 1] = { "build.ninja", edges.w:text() }
  assert(fs.write_all(folder, texts))
end

local isas = {}
for name in arg[2]:gmatch("[^,]+") do isas[#isas + 1] = name end
write(arg[1], isas)
