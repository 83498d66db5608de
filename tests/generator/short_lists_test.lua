-- short_lists_test.lua: the short lists of test models name models that there are, and one of them uses every template.
local fact = dofile("tests/generator/fact.lua")
local emit = require "emit"
local fs = require "base.fs"
local short_lists = require "configure.short_lists"
local spec = require "spec"
local template = require "template"

-- The names in a set, in order.
local function sorted(set)
  local names = {}
  for name in pairs(set) do names[#names + 1] = name end
  table.sort(names)
  return names
end

-- Every template, under the name by which it is loaded.
local function templates()
  local names = {}
  for _, folder in ipairs({ "templates/", "templates/features/" }) do
    for _, file in ipairs(assert(fs.list(folder))) do
      if file:find("%.lt$") then names[#names + 1] = folder .. file end
    end
  end
  table.sort(names)
  return names
end

local function read(name)
  return assert(spec.read(("tests/specs/%s.lua"):format(name)))
end

fact.holds("every model of a list is there", function()
  for _, list in ipairs(sorted(short_lists)) do
    for _, name in ipairs(sorted(short_lists[list])) do fact.equal(read(name).name, name) end
  end
end)

fact.holds("the models of soak are those of every_template and more", function()
  for _, name in ipairs(sorted(short_lists.every_template)) do fact.equal(short_lists.soak[name], true) end
end)

fact.holds("ninja check is about the models of every_template, of the goldens and more", function()
  for _, list in ipairs({ "every_template", "named" }) do
    for _, name in ipairs(sorted(short_lists[list])) do fact.equal(short_lists.check[name], true) end
  end
end)

-- A template is loaded where it is first rendered, so none of them may have been so far.
fact.holds("the models of every_template use every template", function()
  local load, used = template.load, {}
  function template.load(path, name)
    used[name] = true
    return load(path, name)
  end
  for _, name in ipairs(sorted(short_lists.every_template)) do emit.files(read(name), { "avx512", "scalar" }) end
  template.load = load
  fact.lists_equal(sorted(used), templates())
end)

fact.finish()
