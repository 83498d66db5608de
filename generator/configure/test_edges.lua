-- test_edges.lua: the edges of the tests: Criterion binaries, programs of their own, the same under sanitizers, and
-- kernels emulated on CPUs that lack their instructions. What runs when is in files.lua.
local Edges = require "configure.edges"
local ninja = require "ninja"
local number_edges = require "configure.number_edges"
local short_lists = require "configure.short_lists"

local PLAIN, SANITIZED, joined = Edges.PLAIN, Edges.SANITIZED, Edges.joined

local PORTABLE = "scalar"
local INCLUDES = "-I runtime -I program -I tests -I tests/support -I out/include $jansson_cflags $criterion_cflags"

-- Instruction sets that SIMDe writes in terms of others, with the flags of those.
local EMULATED = { avx512 = "-isystem tests/emulate -I runtime -I out/include -mavx2 -mfma -Wno-psabi" }
local EMULATION = { obj = "out/emulated/obj", test = "out/emulated/test", variables = { { "opt", "-O1" } } }

-- Data races are looked for apart: one binary has one sanitizer of memory.
local RACES = { obj = "out/races/obj", lib = "out/races/lib", test = "out/races/test",
  variables = { { "mode", ninja.raw("$races") }, { "opt", "-O2" } } }
-- Numbers that nobody wrote, which only clang looks for, and only in what it compiled: the portable kernels, of models
-- generated without others. What it does not see write has something to stand before it.
local UNSET = { obj = "out/unset/obj", lib = "out/unset/lib", test = "out/unset/test", gen = "out/gen/unset/",
  libraries = "-Wl,--wrap=json_loadb,--wrap=json_dumpb,--wrap=fstat,--wrap=fstat64,--wrap=stat,--wrap=stat64 " ..
    "$program_libraries",
  variables = { { "cc", ninja.raw("$clang") }, { "mode", ninja.raw("$unset") }, { "opt", "-O1" } } }
-- Profiles as their tables of models and their ways to compile are called.
local NAMES = { [PLAIN] = "test", [EMULATION] = "emulated", [SANITIZED] = "sanitized", [RACES] = "races",
  [UNSET] = "unset" }

-- What a C file in tests/ is, by its name: a Criterion test, a program with a main of its own, one that also stands
-- before the C library, by the linker's means or its own, or else a helper.
local KINDS = {
  { kind = "criterion", pattern = "^test_" },
  { kind = "program", pattern = "^plain_" },
  { kind = "program", pattern = "_fixture$" },
  { kind = "quiet", pattern = "^quiet_" },
  { kind = "failing", pattern = "^failing_" },
  { kind = "soak", pattern = "^soak$" },
  { kind = "helper", pattern = "" },
}

local function is_kind(kind)
  return function(name)
    for _, row in ipairs(KINDS) do
      if name:find(row.pattern) then return row.kind == kind end
    end
  end
end

local function objects_of(edges, profile, kind)
  return edges:folder_objects(profile, "tests", INCLUDES, is_kind(kind))
end

-- -- Models ---------------------------------------------------------------------------------------------------------

local function folder_of(model, profile)
  return (profile and profile.gen or "out/gen/test/") .. model.spec.name
end

-- Splits a list, of a model's outputs for one: those a profile compiles anew, and those it takes as they are.
local function split(outputs, is_anew)
  local anew, as_is = {}, {}
  for _, output in ipairs(outputs) do
    local list = is_anew(output) and anew or as_is
    list[#list + 1] = output
  end
  return anew, as_is
end

-- Lists whose models have every instruction set.
local WHOLE_LISTS = { "few", "wide", "numbers", "every_template" }

local function is_whole(name)
  for _, list in ipairs(WHOLE_LISTS) do
    if short_lists[list][name] then return true end
  end
  return false
end

-- Models on none of these lists are the same text with other numbers: each gets one of the instruction sets of vectors
-- that this CPU runs, in turns, besides the portable one.
local function take_turns(edges, models)
  local vectors, turn = {}, 0
  for _, isa in ipairs(edges.isas) do
    if isa ~= PORTABLE and edges.runs[isa] then vectors[#vectors + 1] = isa end
  end
  if #vectors < 2 then return end
  for _, model in ipairs(models) do
    if not is_whole(model.spec.name) then
      turn = turn % #vectors + 1
      model.isas = split(edges.isas, function(isa) return isa == PORTABLE or isa == vectors[turn] end)
    end
  end
end

-- The objects of the library files among the outputs, which are compiled elsewhere.
local function existing_objects(edges, outputs, folder)
  local objects = {}
  for _, output in ipairs(outputs) do
    if output.kind == "library" then objects[#objects + 1] = edges.object_path(PLAIN, folder, output) end
  end
  return objects
end

-- Emulation compiles the instruction sets it emulates, the sanitizers those this CPU can run; as a model is linked with
-- all of them, the others stay as they are.
local COMPILE = {}

function COMPILE.emulated(edges, _, outputs, folder)
  local anew, as_is = split(outputs, function(output) return EMULATED[output.isa] end)
  local objects = existing_objects(edges, as_is, folder)
  for _, output in ipairs(anew) do
    if output.kind == "library" then
      local object = edges.object_path(EMULATION, folder, output)
      objects[#objects + 1] = edges:compile(EMULATION, folder .. "/" .. output.path, object, EMULATED[output.isa])
    end
  end
  return objects
end

-- Whether a sanitizer looks at a model's kernels of one instruction set: at all models' portable ones; of vectors at
-- those that between them use every template; of the widest, which take it ten seconds a file, at a few.
local function is_sanitized(name, isa)
  if not isa or isa == PORTABLE then return true end
  if EMULATED[isa] then return short_lists.wide[name] end
  return short_lists.every_template[name] or short_lists.wide[name]
end

function COMPILE.sanitized(edges, profile, outputs, folder)
  local name = folder:match("[^/]*$")
  local anew, as_is = split(outputs, function(output)
    return (not output.isa or edges.runs[output.isa]) and is_sanitized(name, output.isa)
  end)
  return joined(edges:model_objects(profile, anew, folder, "library"), existing_objects(edges, as_is, folder))
end

COMPILE.races = COMPILE.sanitized

function COMPILE.test(edges, profile, outputs, folder)
  return edges:model_objects(profile, outputs, folder, "library")
end

COMPILE.unset = COMPILE.test

local function archive_path(profile, model)
  return ("%s/models/lib%s.a"):format(profile.test, model.spec.name)
end

-- One archive for each test model.
local function model_archives(edges, profile, models)
  local archives = {}
  for i, model in ipairs(models) do
    local folder, outputs = folder_of(model, profile), edges:outputs(model)
    archives[i] = edges:archive(archive_path(profile, model),
      COMPILE[NAMES[profile]](edges, profile, outputs, folder))
  end
  return archives
end

-- -- Binaries -------------------------------------------------------------------------------------------------------

-- Links each object into a test binary of its name. Returns the paths.
local function link_all(edges, profile, objects, inputs, libraries)
  local binaries = {}
  for i, object in ipairs(objects) do
    local path = profile.test .. "/" .. object:match("([^/]*)%.o$")
    binaries[i] = edges:link(profile, path, joined({ object }, inputs), libraries)
  end
  return binaries
end

-- The archives all tests are linked with: helpers, the program's and the runtime's parts.
local function shared_archives(edges, profile, parts)
  local support = edges:archive(profile.test .. "/libsupport.a",
    joined(edges:folder_objects(profile, "tests/support", INCLUDES .. " $valgrind_cflags"),
      objects_of(edges, profile, "helper")))
  return { support, parts.program, parts.weights, parts.core_archive }
end

-- What stands behind a test's own object: the helpers before the table of models, which they read, and before the
-- runtime, which all call.
local function inputs_of(edges, profile, archives, models)
  local names = edges:archive(profile.test .. "/libtest_models.a", { edges:compile(profile,
    ("out/gen/%s_models.c"):format(NAMES[profile]), profile.test .. "/test_models.o", INCLUDES) })
  return joined({ archives[1], names }, model_archives(edges, profile, models), archives)
end

-- Programs before whose functions the linker puts others, and those that have the C library's allocator themselves.
-- Sanitizers stand there too, so this is not for them. Returns the paths of both.
local function tests_before_libc(edges, inputs)
  return link_all(edges, PLAIN, objects_of(edges, PLAIN, "quiet"), inputs,
    "$program_libraries -ldl -Wl,--wrap=ga_model_run,--wrap=ga_model_pack"),
    link_all(edges, PLAIN, objects_of(edges, PLAIN, "failing"), inputs, "$program_libraries -ldl")
end

-- Every test binary of a profile. Returns the paths by kind, and those of their own objects.
local function binaries_of(edges, profile, archives, models, has)
  local inputs, objects = inputs_of(edges, profile, archives, models), objects_of(edges, profile, "program")
  local binaries = { criterion = {}, program = link_all(edges, profile, objects, inputs,
    profile.libraries or "$program_libraries") }
  binaries.objects = objects
  if has.criterion then
    objects = objects_of(edges, profile, "criterion")
    binaries.criterion = link_all(edges, profile, objects, inputs, "$test_libraries")
    binaries.objects = joined(binaries.objects, objects)
  end
  binaries.quiet, binaries.failing = {}, {}
  if profile == PLAIN and has.wraps then binaries.quiet, binaries.failing = tests_before_libc(edges, inputs) end
  return binaries
end

-- A binary of objects and of the tests' models that a short list names. name: of the list, and of the file with their
-- table.
local function some_models_test(edges, archives, models, objects, path, name)
  local some = split(models, function(model) return short_lists[name][model.spec.name] end)
  local source = ("out/gen/%s_models.c"):format(name)
  Edges.write_table(source, some)
  local inputs = joined(objects, { archives[1],
    edges:compile(PLAIN, source, ("out/test/%s_models.o"):format(name), INCLUDES) })
  for _, model in ipairs(some) do inputs[#inputs + 1] = archive_path(PLAIN, model) end
  return edges:link(PLAIN, path, joined(inputs, archives), "$program_libraries")
end

-- The programs of some of the test models. Returns their paths.
local function model_programs(edges, parts, models)
  local paths = {}
  for i, model in ipairs(models) do
    local main = edges:model_objects(PLAIN, edges:outputs(model), folder_of(model), "program")
    paths[i] = edges:link(PLAIN, "out/test/bin/" .. model.spec.name, joined(main, { parts.program, parts.weights,
      archive_path(PLAIN, model), parts.core_archive }), "$program_libraries")
  end
  return paths
end

-- Two versions of one model as shared objects of one name, in a folder each. Returns their paths.
local function version_libraries(edges, parts, models)
  local paths = {}
  for i, model in ipairs(models) do
    local folder = ("out/gen/versions/%d/%s"):format(i, model.spec.name)
    local objects = edges:model_objects(PLAIN, edges:generate(model, folder), folder, "library")
    paths[i] = edges:shared_library(("%s/versions/%d"):format(PLAIN.test, i), model.spec.name,
      joined(objects, parts.core))[1]
  end
  return paths
end

-- plain_kernels linked as a user links two models: with libraries of which each has the runtime's objects too; and once
-- more for a CPU that nobody knows. Returns the paths.
local function two_libraries_tests(edges, parts, archives, models)
  Edges.write_table("out/gen/two_models.c", models)
  local inputs = { "out/obj/tests/plain_kernels.o", archives[1],
    edges:compile(PLAIN, "out/gen/two_models.c", "out/test/two_models.o", INCLUDES) }
  for _, model in ipairs(models) do
    local folder, outputs = folder_of(model), edges:outputs(model)
    inputs[#inputs + 1] = edges:archive(("out/test/two/lib%s.a"):format(model.spec.name),
      joined(existing_objects(edges, outputs, folder), parts.core))
  end
  inputs[#inputs + 1] = archives[1]
  local cpu = edges:compile(PLAIN, "tests/emulate/plain_cpu.c", "out/test/plain_cpu.o", "-I runtime")
  return edges:link(PLAIN, "out/test/two_kernels", inputs, "$program_libraries"),
    edges:link(PLAIN, "out/test/unknown_cpu", joined({ cpu }, inputs), "$program_libraries")
end

-- The kernel facts once more, linked with the libraries of the user's own models.
local function configured_test(edges, products, archives, has)
  local names = edges:compile(PLAIN, "out/gen/configured_models.c", "out/test/configured_models.o", INCLUDES)
  local runner = has.criterion and "test_kernels" or "plain_kernels"
  local inputs = { ("out/obj/tests/%s.o"):format(runner), archives[1], names }
  for _, product in ipairs(products) do inputs[#inputs + 1] = product.archive end
  return edges:link(PLAIN, "out/test/configured", joined(inputs, archives),
    has.criterion and "$test_libraries" or "$program_libraries")
end

local function is_emulated(isas)
  for _, name in ipairs(isas) do
    if EMULATED[name] then return true end
  end
end

-- plain_kernels with a CPU that has everything in front of the runtime's, and the kernels it lacks emulated; nil where
-- there is nothing to emulate, or nothing to emulate it with.
local function emulated_test(edges, archives, models, has)
  if not has.simde or not is_emulated(edges.isas) then return nil end
  edges:section("Tests of kernels this CPU may lack, emulated")
  local cpu = edges:compile(EMULATION, "tests/emulate/cpu.c", EMULATION.test .. "/cpu.o", "-I runtime")
  local inputs = joined({ cpu }, inputs_of(edges, EMULATION, archives, models))
  return link_all(edges, EMULATION, { "out/obj/tests/plain_kernels.o" }, inputs, "$program_libraries")[1]
end

-- The plain programs under the memory sanitizer.
local function unset_tests(edges, models)
  local portable = setmetatable({ isas_of = function() return { PORTABLE } end }, { __index = edges })
  edges:section("Tests under the memory sanitizer")
  Edges.write_table("out/gen/unset_models.c", models)
  for _, model in ipairs(models) do portable:generate(model, folder_of(model, UNSET)) end
  local archives = shared_archives(portable, UNSET, portable:shared_parts(UNSET))
  archives[#archives + 1] = portable:compile(UNSET, "tests/emulate/unseen.c", UNSET.test .. "/unseen.o",
    "$jansson_cflags")
  return binaries_of(portable, UNSET, archives, models, {})
end

-- Adds all edges of the tests. models: models.collect's; products: what edges:product gave for the configured ones;
-- has: whether there is { criterion, simde }. Returns the paths of the binaries: plain, sanitized and races, each
-- { criterion, program }; configured; some, with models that use every template; soak; numbers; programs of some
-- models; emulated (or nil); of the archives of the test models; and of what more models are tested with. And shared:
-- the models whose calls share threads.
return function(edges, parts, models, products, has)
  Edges.write_table("out/gen/test_models.c", models.tests)
  Edges.write_table("out/gen/configured_models.c", models.configured)
  edges:section("Tests")
  take_turns(edges, models.tests)
  for _, model in ipairs(models.tests) do edges:generate(model, folder_of(model)) end
  local archives = shared_archives(edges, PLAIN, parts)
  local tests = { plain = binaries_of(edges, PLAIN, archives, models.tests, has) }
  tests.configured = configured_test(edges, products, archives, has)
  tests.some = some_models_test(edges, archives, models.tests, { "out/obj/tests/plain_kernels.o" },
    "out/test/some_kernels", "every_template")
  tests.soak = some_models_test(edges, archives, models.tests, objects_of(edges, PLAIN, "soak"), "out/test/soak",
    "soak")
  tests.numbers = some_models_test(edges, archives, models.tests, number_edges(edges), "out/test/numbers", "numbers")
  tests.programs = model_programs(edges, parts, split(models.tests, function(model)
    return short_lists.programs[model.spec.name]
  end))
  tests.parts = joined({ "out/obj/tests/plain_kernels.o" }, archives)
  tests.models = {}
  for i, model in ipairs(models.tests) do tests.models[i] = archive_path(PLAIN, model) end
  local few = split(models.tests, function(model) return short_lists.few[model.spec.name] end)
  Edges.write_table("out/gen/emulated_models.c", few)
  tests.emulated = emulated_test(edges, archives, few, has)
  tests.versions = version_libraries(edges, parts, models.versions)
  tests.two, tests.unknown_cpu = two_libraries_tests(edges, parts, archives, split(models.tests, function(model)
    return short_lists.raced[model.spec.name]
  end))
  edges:section("Tests under sanitizers")
  local whole = split(models.tests, function(model)
    return is_whole(model.spec.name) or short_lists.named[model.spec.name]
  end)
  Edges.write_table("out/gen/sanitized_models.c", whole)
  local sanitized = shared_archives(edges, SANITIZED, edges:shared_parts(SANITIZED))
  tests.sanitized = binaries_of(edges, SANITIZED, sanitized, whole, has)
  edges:section("Tests under the thread sanitizer")
  local shared = split(models.tests, function(model) return short_lists.shared[model.spec.name] end)
  Edges.write_table("out/gen/races_models.c", shared)
  tests.shared = shared
  tests.races = binaries_of(edges, RACES, shared_archives(edges, RACES, edges:shared_parts(RACES)), shared, {})
  if has.msan then
    tests.unset = unset_tests(edges, split(models.tests, function(model)
      return short_lists.memory[model.spec.name]
    end))
  end
  return tests
end
