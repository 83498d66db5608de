-- cover_test.lua: the test models of every_template use every template, and those of every_line every line of these.
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
local fs = require "base.fs"
local modifier_models = require "tests.build.modifier_models"
local roles = require "tests.build.roles"
local spec = require "spec"
local text = require "base.text"
local used_templates = dofile("tests/generator/used_templates.lua")

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

-- The templates and stages that models of every_template use, and their lines by set.
local used, lines = used_templates.watch(), used_templates.watch_lines()

-- Moves to the set `seen` what is in `lines`, and the intrinsics in the files. Returns what was not there, in order.
local function move_new(files, seen)
  local new = {}
  for _, file in ipairs(files) do
    for name in file.text:gmatch("_mm%d*_[%w_]+") do lines[name] = true end
  end
  for line in pairs(lines) do
    lines[line], new[line], seen[line] = nil, not seen[line] or nil, true
  end
  return text.sorted_keys(new)
end

-- The specs of every_template, those of every_line first.
local function every_template()
  local few, others = models_of_modifiers(), {}
  for _, name in ipairs(text.sorted_keys(roles.every_template)) do
    local list = roles.every_line[name] and few or others
    list[#list + 1] = read(name)
  end
  return few, others
end

fact.holds("of the models of every_template those of every_line use every line and every intrinsic", function()
  local few, others = every_template()
  for _, set in ipairs({ "avx512", "avx2", "scalar" }) do
    local seen, missing = {}, {}
    for _, s in ipairs(few) do move_new(emit.files(s, { set }), seen) end
    for _, s in ipairs(others) do
      for _, line in ipairs(move_new(emit.files(s, { set }), seen)) do
        missing[#missing + 1] = ("%s for %s: %s"):format(s.name, set, line)
      end
    end
    fact.lists_equal(missing, {})
  end
end)

fact.holds("the models of every_template use every template and every stage of fragments", function()
  for _, list in ipairs({ every_template() }) do
    for _, s in ipairs(list) do emit.files(s, { "neon" }) end
  end
  fact.lists_equal(text.sorted_keys(used), used_templates.all())
end)

fact.finish()
