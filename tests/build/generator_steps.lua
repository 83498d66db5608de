-- generator_steps.lua: the steps of the generator's tests, one a file of tests/generator, and what each of them reads,
-- so that it runs again where that changed. Which targets run them is in steps.lua.
local Edges = require "build.edges"
local compat = require "base.compat"
local fs = require "base.fs"
local inputs = require "tests.build.inputs"

local generator_steps = {}

local joined = Edges.joined

local GENERATOR = { "generator", "templates", "specs", "tests/specs", "tests/generator" }
-- What all of them read, besides the floors that they come by.
local HELPERS = { "specs", "tests/specs", "tests/generator/fact.lua" }
-- What some read besides: those that run configure, and those that look at documents and at other tests.
local CONFIGURE = { "configure", "build.ninja", "rules.ninja", "generator/build", "generator/configure.lua",
  "tests/build", "generator/isa", "generator/ninja.lua", "templates/install" }
local DOCUMENTS = { "README.md", "SECURITY.md", "CHANGELOG.md", "CONTRIBUTING.md", "bench", "build.ninja", "demo",
  "docs", "tests", "tools", "runtime", "generator", "templates" }
local BESIDES = { bits_table_test = { "tests/bits", "runtime/include/genattn" },
  combinations_test = { "tests/combinations" }, configure_test = CONFIGURE,
  configure_cross_test = CONFIGURE, configure_old_test = CONFIGURE, configure_paths_test = CONFIGURE,
  configure_summary_test = CONFIGURE, configure_usage_test = CONFIGURE,
  configure_wisdom_test = CONFIGURE, documents_test = DOCUMENTS,
  formula_test = { "tests/pytorch" }, install_test = { "templates/install" },
  modifiers_test = { "tests/support/modifiers" },
  ninja_test = { "rules.ninja" }, promises_test = DOCUMENTS, sizes_test = DOCUMENTS, tests_of_test = DOCUMENTS }

-- Those that newcomers do without: they try what few do with configure and with model folders, or what specs may not
-- have together, or emit all test models, which takes a third of the time of all.
local RARE = { combinations_test = true, configure_cross_test = true, configure_old_test = true,
  configure_paths_test = true, configure_test = true, configure_lua_test = true, configure_summary_test = true,
  configure_wheels_test = true, configure_wisdom_test = true, cover_test = true, hf_hostile_test = true }

-- Those that write to one folder, one at a time.
local function pool_of(name)
  return name:find("^hf_") and "model_folders" or nil
end

-- A name for many files, which many steps read; as a list.
local function many_files(steps, name, folders)
  steps.w:phony(name, inputs.files(compat.unpack(folders)))
  return { name }
end

-- All files of the generator, for steps that run the whole of it.
function generator_steps.all(steps)
  return many_files(steps, "files_of_the_generator", GENERATOR)
end

-- Adds runs of the tests by one Lua to a Steps. Returns the steps: all, and of these the usual ones, which
-- `ninja check` runs, and the rare, which are run by one Lua. before: all of another Lua, which write where these do.
function generator_steps.add(steps, lua, before)
  local list, usual, rare = {}, {}, {}
  for _, file in ipairs(assert(fs.list("tests/generator"))) do
    local name = file:match("^(.*_test)%.lua$")
    if name then
      local path = "tests/generator/" .. file
      local reads = many_files(steps, ("files_of_%s_%s"):format(name, lua:match("[^/]*$")),
        joined(inputs.floors(path), HELPERS, BESIDES[name]))
      list[#list + 1] = steps:add({ name = ("%s under %s"):format(name, lua), command = lua .. " " .. path,
        inputs = joined(inputs.script(path), reads), pool = pool_of(name),
        after = before and not RARE[name] and before[#list + 1] or nil })
      local kind = RARE[name] and rare or usual
      kind[#kind + 1] = list[#list]
    end
  end
  return { all = list, usual = usual, rare = rare }
end

return generator_steps
