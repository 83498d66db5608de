-- steps.lua: the test steps, and which of them `ninja check`, `check-quick` and `check-all` run. A newcomer's
-- `check` proves the configured model and every feature once; what takes long for what it finds is in `check-all`.
-- Those under sanitizers are in sanitize_steps.lua.
local Edges = require "build.edges"
local binding_steps = require "tests.build.binding_steps"
local add_sanitized = require "tests.build.sanitize_steps"
local commands = require "tests.build.step_commands"
local files = require "build.files"
local fmt = require "base.fmt"
local generator_steps = require "tests.build.generator_steps"
local inputs = require "tests.build.inputs"
local roles = require "tests.build.roles"
local test_models = require "tests.build.models"
local text = require "base.text"

local base, joined, quoted, sharing = commands.base, Edges.joined, commands.quoted, commands.sharing

-- Percent of the kernel facts' usual work that each target does: check-all does a quarter for models that have every
-- instruction set, as soak does all of it at random shapes, and less for others; emulated kernels, which take ten times
-- as long, a twentieth.
local EFFORT = { check = 10, quick = 5, all = 25, others = 10, emulated = 5 }

-- -- Words ----------------------------------------------------------------------------------------------------------

local function paths_of(models)
  local paths = {}
  for i, model in ipairs(models) do paths[i] = model.path end
  return paths
end

local function programs_of(models)
  local paths = {}
  for i, model in ipairs(models) do paths[i] = "out/bin/" .. model.spec.name end
  return paths
end

-- A step of a script in tests/: its words after the Lua and the script, and what it reads besides.
local function script_step(all, name, path, words, reads, more)
  local step = { name = name, command = ("%s%s %s %s"):format(all.environment, all.lua, path, words or ""),
    inputs = joined(inputs.script(path), reads or {}) }
  for key, value in pairs(more or {}) do step[key] = value end
  return all.steps:add(step)
end

local function binary_step(all, name, path, arguments, reads)
  return all.steps:add({ name = name, inputs = joined({ path }, reads or {}),
    command = all.environment .. all.runner .. path .. (arguments and " " .. arguments or "") })
end

-- -- The generator --------------------------------------------------------------------------------------------------

-- Generated files from all Luas, one after the other. script: in tests/generator.
local function same_bytes(all, name, script, specs)
  return script_step(all, ("%s from %s"):format(name, text.join(all.luas)), ("tests/generator/%s.lua"):format(script),
    ("%s %s"):format(table.concat(all.luas, ","), quoted(specs)), joined(all.generator, specs))
end

local HOSTILE = "tests/hostile/hostile_specs.lua"

local function hostile_steps(all)
  local list = {}
  for i, lua in ipairs(all.luas) do -- compiled once: both Luas make the same
    list[i] = all.steps:add({ name = "specs nobody would write, under " .. lua, pool = "specs", after = list[i - 1],
      command = ("%s %s 2500 %d %d 1 %s"):format(lua, HOSTILE, i == 1 and 12 or 4, i == 1 and 12 or 0, all.strict_cc),
      inputs = joined(inputs.script(HOSTILE), all.generator, { "out/config.ninja" }) })
  end
  list[#list + 1] = script_step(all, "specs of the smallest sizes", "tests/hostile/small_specs.lua",
    "least " .. all.strict_cc, all.generator, { pool = "specs" })
  return list
end

-- -- Libraries and kernels ------------------------------------------------------------------------------------------

-- Steps that look at libraries and at their objects without running them. name: what stands after theirs; group: of
-- test models, { models, objects }.
local function library_steps(all, name, group)
  if all.saved.settings.sanitize then
    return { all.steps.off("names in libraries" .. name .. ": sanitizers add theirs"),
      all.steps.off("what the libraries call" .. name .. ": sanitizers add calls of their own") }
  end
  local list = all.folder .. "/objects" .. name:gsub("[^%w]+", "_") .. ".list"
  all.texts[#all.texts + 1] = { base(list), table.concat(joined(all.built.objects, group.objects), "\n") .. "\n" }
  local reads = joined({ list }, all.built.archives, group.models)
  local given = joined(all.libraries, { all.built.parts.weights, all.built.parts.program }, group.models)
  local steps = { script_step(all, "names in libraries" .. name, "tests/libraries/symbols.lua", quoted(given), given),
    script_step(all, "what the libraries call" .. name, "tests/libraries/imports.lua", list, reads) }
  if files.measures_stack(all.saved.settings, all.saved.answers) then
    steps[3] = script_step(all, "stack use" .. name, "tests/libraries/frames.lua", list, reads)
  else
    steps[3] = all.steps.off("stack use" .. name ..
      ": only gcc from 10 on measures it, without debugging and sanitizers")
  end
  return steps
end

local function circles_step(all)
  local parts = all.built.parts
  local archives = { parts.core_archive, parts.weights, parts.program }
  return script_step(all, "files that use each other in a circle", "tests/libraries/circles.lua", quoted(archives),
    joined(archives, all.generator))
end

local function objects_step(all)
  if not files.measures_stack(all.saved.settings, all.saved.answers) then return {} end
  return { script_step(all, "stack use and calls that are refused", "tests/libraries/objects_test.lua",
    ("%s %s"):format(all.lua, all.cc), joined(inputs.script("tests/libraries/frames.lua"),
      inputs.script("tests/libraries/imports.lua"))) }
end

local function unit_steps(all)
  local list = {}
  for i, path in ipairs(all.tests.units.criterion) do list[i] = binary_step(all, base(path), path) end
  for _, path in ipairs(all.tests.checked.criterion) do
    list[#list + 1] = binary_step(all, base(path), path, nil, { inputs.GOLDENS, "tests/pytorch/formula_values.txt" })
  end
  if #list == 0 then
    list[1] = all.steps.off(commands.NO_CRITERION)
    list[2] = binary_step(all, "threads", "out/test/standalone_threads", "100")
  end
  return list
end

-- The kernel facts of the configured models, with this percentage of the usual work.
local function configured_step(all, name, effort)
  local names = {}
  for i, model in ipairs(all.models.configured) do names[i] = model.spec.name end
  return binary_step(all, ("kernels of %s, as configured%s"):format(text.join(names), name), all.tests.configured,
    tostring(effort))
end

-- Those of the models of `ninja check`, and of the configured ones after them.
local function kernel_steps(all, name, effort)
  local list = {}
  for i, path in ipairs(all.tests.checked.facts) do
    list[i] = binary_step(all, ("kernels of %s%s"):format(base(path), name), path, tostring(effort))
  end
  list[#list + 1] = configured_step(all, name, effort)
  return list
end

-- The facts of every test model for every instruction set.
local function all_kernel_steps(all)
  local list, path = {}, "out/test/all/standalone_kernels"
  for i, model in ipairs(all.models.tests) do
    local name = model.spec.name
    list[i] = binary_step(all, ("kernels of %s, every instruction set"):format(name), path,
      ("%d %s"):format(test_models.is_whole(name) and EFFORT.all or EFFORT.others, name))
  end
  list[#list + 1] = configured_step(all, ", all shapes", EFFORT.all)
  return list
end

-- A CPU that nobody knows, said by a stand-in for what asks it; and one of 2008, by an emulator.
local function cpu_steps(all)
  local answers, tests = all.saved.answers, all.tests
  local list = { binary_step(all, "kernels on a CPU nobody knows", tests.unknown_cpu, "1") }
  if not answers.qemu or #answers.built == 1 then
    local why = answers.qemu and "no instruction set it lacks is built" or "no qemu-x86_64 (Debian: qemu-user)"
    list[2] = all.steps.off("kernels on a CPU of 2008: " .. why)
  else
    list[2] = script_step(all, "kernels on a CPU of 2008", "tests/emulate/old_cpu.lua", ("%s %s '%s 1 cache'"):format(
      answers.qemu, table.concat(answers.built, ","), tests.two), { tests.two })
  end
  return list
end

-- What a program that prints the bits of results says, held against the committed table.
local function bits_step(all, name, program, emulator)
  local source = (emulator or all.runner) .. program
  return script_step(all, name, "tests/bits/bits.lua", "check " .. fmt.sh_quote(source),
    { program, "tests/bits/bits.txt" })
end

-- Kernels of another architecture, a part of the usual work, and the bits of their results.
local function cross_steps(all)
  local cross = all.saved.answers.cross
  if not cross then
    return { all.steps.off("kernels of AArch64: no aarch64-linux-gnu-gcc that makes programs for qemu-aarch64 " ..
      "(Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)") }
  end
  local facts, bits = all.tests.cross[1], all.tests.cross[2]
  return { all.steps:add({ name = "kernels of AArch64, emulated", inputs = { facts },
    command = ("%s %s %d"):format(cross.emulator, facts, EFFORT.emulated) }),
    bits_step(all, "bits of results on AArch64, emulated", bits, cross.emulator .. " ") }
end

-- -- Programs -------------------------------------------------------------------------------------------------------

-- Scripts that run these programs, under their names, by the runner; without one the programs themselves.
local function run_by(all, programs)
  if all.runner == "" then return programs end
  local paths = {}
  for i, program in ipairs(programs) do
    paths[i] = ("%s/run/%s"):format(all.folder, base(program))
    all.steps.w:build({ rule = "runner_script", outputs = { paths[i] }, inputs = { program } })
  end
  return paths
end

-- The command line. models: of whole models, the folder of their programs, or "-"; reads: what it holds.
local function program_step(all, name, models, reads)
  local programs = run_by(all, programs_of(all.models.configured))
  local fixtures = run_by(all, { "out/test/program_fixture", "out/test/program_stack_fixture" })
  return script_step(all, name, "tests/program/program_test.lua", ("%s %s %s"):format(quoted(fixtures), models,
    quoted(programs)), joined(fixtures, programs, reads))
end

local PYTHON = "tests/bindings/python"

local function python_files()
  return inputs.files("bindings/python", PYTHON, "examples")
end

-- Wheels, in an environment in a folder, and files of tests that import them. more: what the tests read besides these,
-- or nil.
local function wheels_step(all, name, folder, wheels, tests, more)
  local files_of = {}
  for i, test in ipairs(tests) do files_of[i] = ("%s/%s_test.py"):format(PYTHON, test) end
  return all.steps:add({ name = name, inputs = joined(python_files(), wheels, more),
    command = ("sh %s/run.sh python3 %s/venv %s -- %s"):format(PYTHON, folder, quoted(wheels), quoted(files_of)) })
end

-- Python: the declarations from the headers, and wheels in an environment of their own.
local function python_steps(all)
  if #all.tests.wheels == 0 then
    return { all.steps.off("Python wheels: no python3 from 3.9 on with numpy (Debian: python3-numpy)") }
  end
  if all.saved.settings.sanitize then
    return { all.steps.off("Python wheels: a sanitizer must be the program's own") }
  end
  return { all.steps:add({ name = "headers as Python has them", inputs = joined(python_files(), all.built.headers),
      command = ("python3 -B %s/declarations_test.py %s %s"):format(PYTHON, all.lua, all.cc) }),
    wheels_step(all, "Python wheels", "out/test/python", all.tests.wheels,
      { "copies", "layer", "model", "sentence", "text", "wheel", "hints" }) }
end

-- The programs of examples/ in Python.
local function python_examples_step(all)
  if #all.tests.example_wheels == 0 or all.saved.settings.sanitize then
    return all.steps.off("example in Python: no wheel is made here")
  end
  return wheels_step(all, "example in Python", "out/test/examples", all.tests.example_wheels, { "examples" },
    all.tests.examples)
end

-- A program that loads shared objects: two versions of a model, and the user's models.
local function host_step(all)
  if all.saved.settings.sanitize then
    return all.steps.off("libraries loaded by a host: a sanitizer must be the program's own")
  end
  local reads = joined(all.tests.versions)
  for _, model in ipairs(all.models.configured) do reads[#reads + 1] = ("out/lib/lib%s.so"):format(model.spec.name) end
  return binary_step(all, "libraries loaded by a host", "out/test/all/standalone_dlopen", "20 " .. quoted(reads), reads)
end

-- Programs linked with the library in the ways that users link it.
local function linking_step(all)
  if all.saved.settings.sanitize then
    return all.steps.off("libraries linked in every way: a sanitizer must be the program's own")
  end
  local v = all.saved.settings.variables
  return script_step(all, "libraries linked in every way", "tests/host/linking.lua",
    ("%s out/test/linking out/test/linking %s"):format(fmt.sh_quote(table.concat({ v.CC, v.CPPFLAGS, v.CFLAGS,
      v.LDFLAGS }, " ")), fmt.sh_quote("out/lib/libga_weights.a " .. all.saved.answers.jansson.libraries)),
    joined(all.tests.linking, inputs.files("tests/host/linking"), { all.built.parts.weights }))
end

-- The programs of examples/, compiled as their users compile them.
local function examples_step(all)
  if all.saved.settings.sanitize then
    return all.steps.off("examples: compiled without sanitizers, as their users do")
  end
  return script_step(all, "examples", "tests/examples/examples_test.lua", all.cc .. " out/test/examples",
    joined(all.tests.examples, inputs.files("examples"), { "README.md" }))
end

-- The extension of SQLite in the program sqlite3.
local function sqlite_step(all)
  if all.saved.settings.sanitize or not all.saved.answers.text or not all.saved.answers.sqlite then
    return all.steps.off("the SQLite extension: no libga_text or no sqlite3ext.h (Debian: libsqlite3-dev), or " ..
      "sanitizers, which must be the program's own")
  end
  return script_step(all, "the SQLite extension", "tests/bindings/sqlite/sqlite_test.lua", "out/test/examples",
    joined(all.tests.examples, inputs.files("examples")))
end

-- Binaries that stand before the C library.
local function libc_steps(all)
  local list, tests = {}, all.tests.all
  if #tests.failing == 0 then
    list = { all.steps.off("failing memory, disk and reads, kernels without the C library: they need glibc, GNU " ..
      "ld's --wrap and no sanitizers") }
  end
  for _, path in ipairs(joined(tests.failing, tests.no_libc)) do
    list[#list + 1] = binary_step(all, base(path), path)
  end
  return list
end

-- -- Packages -------------------------------------------------------------------------------------------------------

-- Builds of small models by configure and ninja, as users and packagers make them. name: what it proves; path: of the
-- script in tests/packaging.
local PACKAGES = {
  { name = "a build outside the source folder", path = "outside_test" },
  { name = "what is installed, used by pkg-config, CMake and C++", path = "installed_test" },
  { name = "archives of a model, built with make and a compiler alone", path = "dist_test" },
  { name = "the archive of genattn", path = "release_test" },
}

local function package_steps(all)
  local reads = joined(all.generator, inputs.files("runtime", "program", "tests/packaging", "tools", "examples"),
    { "build.ninja", "configure", "rules.ninja" })
  local list = {}
  for i, row in ipairs(PACKAGES) do
    list[i] = script_step(all, row.name, ("tests/packaging/%s.lua"):format(row.path), ("%s %s"):format(all.lua, all.cc),
      reads)
  end
  return list
end

-- -- Targets --------------------------------------------------------------------------------------------------------

-- What a newcomer runs, but for the kernels.
local function check_steps(all)
  return joined(all.generator_tests.usual, {
    same_bytes(all, "same bytes", "same_bytes", joined(paths_of(all.models.products), all.both_luas)),
    script_step(all, "golden files", "tests/generator/golden.lua", "compare", joined(all.generator,
      inputs.files("tests/golden"))),
  }, library_steps(all, "", all.tests.checked), objects_step(all), unit_steps(all), {
    circles_step(all),
    binary_step(all, "calls that share weights and threads", all.tests.checked.sharing,
      sharing("2", all.shared, roles.check)),
    program_step(all, "program", "-", {}),
    bits_step(all, "bits of results", all.tests.checked.bits),
  })
end

-- What `ninja check-all` has besides.
local function more_steps(all)
  if all.saved.answers.is_cross then
    return { all.steps.off("what check-all has besides check: for compilers whose programs run here by themselves") }
  end
  local first = all.generator_tests -- the rare ones by one Lua, the one that configure takes by itself
  local second = all.luas[2] and generator_steps.add(all.steps, all.slow_lua, first.all).all or first.rare
  local whole = {}
  for _, path in ipairs(all.tests.all.criterion) do
    whole[#whole + 1] = binary_step(all, base(path) .. ", every instruction set", path, nil, { inputs.GOLDENS })
  end
  return joined(second, hostile_steps(all), {
    same_bytes(all, "same bytes of every spec", "same_texts",
      joined(inputs.lua_files("specs"), paths_of(all.models.tests))),
  }, package_steps(all), python_steps(all), library_steps(all, " of all test models", all.tests.all),
    all_kernel_steps(all), whole, {
    binary_step(all, "calls of all kinds that share weights and threads", "out/test/all/standalone_sharing",
      sharing("2", all.shared)),
    binary_step(all, "two libraries with a runtime each", all.tests.two, "1"),
    host_step(all), linking_step(all), examples_step(all), sqlite_step(all), python_examples_step(all),
    script_step(all, "numbers of docs/numbers.md", "tests/numbers/numbers.lua", "check " .. all.tests.numbers,
      { all.tests.numbers, "docs/numbers.md" }),
    program_step(all, "programs of whole models", "out/test/bin", all.tests.programs),
    bits_step(all, "bits of results, every instruction set", all.tests.bits),
  }, cross_steps(all), binding_steps(all, script_step), cpu_steps(all), libc_steps(all))
end

-- Of one or two Luas the one that is through with the tests of the generator first, which is LuaJIT, and the other.
local function by_speed(luas)
  if luas[2] and luas[2]:find("luajit") then return luas[2], luas[1] end
  return luas[1], luas[2]
end

-- Adds the steps and the targets' lists. steps: a Steps; built: the leaves of graph.lua; tests: binaries.lua's.
-- Returns texts for the folder of the graph, as fs.write_all has them.
return function(steps, saved, built, tests, models)
  local all = { steps = steps, saved = saved, built = built, tests = tests, models = models, folder = steps.folder,
    lua = saved.settings.variables.LUA, cc = fmt.sh_quote(saved.settings.variables.CC), texts = {},
    libraries = {}, both_luas = {}, shared = tests.shared,
    generator = generator_steps.all(steps), environment = "", runner = "" }
  if saved.answers.runner then all.environment, all.runner = "GA_EMULATED=yes ", saved.answers.runner .. " " end
  all.strict_cc = fmt.sh_quote(saved.settings.variables.CC .. " " .. files.werror(saved.settings))
  all.luas = { all.lua, saved.answers.second_lua }
  all.fast_lua, all.slow_lua = by_speed(all.luas)
  for i = 1, #models.configured do all.libraries = joined(all.libraries, built.products[i].libraries) end
  for _, name in ipairs(text.sorted_keys(roles.both_luas)) do
    all.both_luas[#all.both_luas + 1] = ("tests/specs/%s.lua"):format(name)
  end
  steps.w:line("pool specs\n  depth = 1\npool model_folders\n  depth = 1")
  all.generator_tests = generator_steps.add(steps, all.fast_lua)
  local checked = check_steps(all)
  local kernels = kernel_steps(all, "", saved.answers.runner and EFFORT.emulated or EFFORT.check)
  steps:list("check", "always", joined(kernels, checked))
  steps:list("check-quick", "changed", joined(kernel_steps(all, ", quickly", EFFORT.quick), checked))
  steps:list("check-all", "changed", joined(kernels, checked))
  steps:list("check-all", "always", more_steps(all))
  add_sanitized(steps, saved, tests)
  return all.texts
end
