-- binaries.lua: the edges of the tests' binaries: Criterion's, programs of their own, the same under sanitizers, and
-- kernels emulated on CPUs that lack their instructions. What runs when is in steps.lua.
local Edges = require "build.edges"
local isa = require "isa"
local number_edges = require "tests.build.number_edges"
local profiles = require "tests.build.profiles"
local test_folders = require "tests.build.folders"
local roles = require "tests.build.roles"
local test_models = require "tests.build.models"
local lua_edges = require "build.lua_edges"
local wheel_edges = require "build.wheel_edges"

local PLAIN, SANITIZED, joined = Edges.PLAIN, Edges.SANITIZED, Edges.joined
local some_models_test, table_object = test_models.some_models_test, test_models.table_object
local ALL, CHECK, EMULATED, EMULATION = profiles.ALL, profiles.CHECK, profiles.EMULATED, profiles.EMULATION
local CROSS, PORTABLE, RACES, UNSET = profiles.CROSS, profiles.PORTABLE, profiles.RACES, profiles.UNSET

-- The kernels' facts from a main() of their own, which are linked with other models each time.
local FACTS = "out/obj/tests/standalone/standalone_kernels.o"
-- A number for the bits of every result.
local BITS = "out/obj/tests/standalone/standalone_bits.o"
local INCLUDES = test_models.INCLUDES

local function objects_of(edges, profile, kind)
  return test_folders.objects(edges, profile, kind, INCLUDES)
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

local function support_archive(edges, profile, flags)
  return edges:archive(profile.test .. "/libsupport.a", joined(test_folders.objects(edges, profile, "helper", flags),
    edges.has_standin and test_folders.objects(edges, profile, "standin", flags)))
end

-- The archives all tests are linked with: helpers, the program's and the runtime's parts.
local function shared_archives(edges, profile, parts)
  return { support_archive(edges, profile, INCLUDES .. " $valgrind_cflags"), parts.program, parts.weights,
    parts.core_archive }
end

-- What stands after a test's own object: the helpers before the table of models, which they read, and before the
-- runtime, which all call.
local function inputs_of(edges, profile, archives, models)
  local names = edges:archive(profile.test .. "/libtest_models.a", {
    table_object(edges, profile, profiles.NAMES[profile], models) })
  return joined({ archives[1], names }, test_models.archives(edges, profile, models), archives)
end

-- The tests of libga_text, which see its headers within; none without its archive. support: that of the helpers.
local function text_tests(edges, profile, archive, support)
  if not archive then return {} end
  local objects = test_folders.objects(edges, profile, "text_criterion", INCLUDES .. " $text_includes")
  return link_all(edges, profile, objects, { archive, support }, "$test_libraries")
end

-- Every test binary under a sanitizer. text: the archive of libga_text, or nil. Returns the paths by kind.
local function binaries_of(edges, profile, archives, models, has, text)
  local inputs = inputs_of(edges, profile, archives, models)
  local programs = joined(objects_of(edges, profile, "program"), objects_of(edges, profile, "fixture"))
  local binaries = { criterion = {}, program = link_all(edges, profile, programs, inputs,
    profile.libraries or "$program_libraries") }
  if has.criterion then
    local tests = joined(objects_of(edges, profile, "criterion"), objects_of(edges, profile, "model_criterion"))
    binaries.criterion = joined(link_all(edges, profile, tests, inputs, "$test_libraries"),
      text_tests(edges, profile, text, archives[1]))
  end
  return binaries
end

-- -- Without sanitizers ---------------------------------------------------------------------------------------------

-- The binaries of tests that need no model, and the objects of the rest. Returns a table: `criterion` (the paths of
-- their binaries), `about_models` (objects), `standalone` (objects), `objects` (of all, for whom compiling them is the
-- test).
local function unit_tests(edges, archives, has, text)
  local standalone, fixtures = objects_of(edges, PLAIN, "program"), objects_of(edges, PLAIN, "fixture")
  local units = has.criterion and objects_of(edges, PLAIN, "criterion") or {}
  local about_models = has.criterion and objects_of(edges, PLAIN, "model_criterion") or {}
  link_all(edges, PLAIN, fixtures, archives, "$program_libraries")
  link_all(edges, PLAIN, { "out/obj/tests/standalone/standalone_threads.o" }, archives, "$program_libraries")
  local binaries = link_all(edges, PLAIN, units, archives, "$test_libraries")
  if has.criterion then binaries = joined(binaries, text_tests(edges, PLAIN, text, archives[1])) end
  return { criterion = binaries, about_models = about_models,
    standalone = standalone, objects = joined(standalone, fixtures, units, about_models) }
end

-- The kernel facts about one model of `ninja check`, so that a change makes again what it concerns and no more.
local function facts_about(edges, archives, model)
  local name = model.spec.name
  return edges:link(CHECK, ("%s/kernels/%s"):format(CHECK.test, name), joined({ FACTS, archives[1],
    table_object(edges, CHECK, "check/" .. name, { model }), test_models.archive_path(CHECK, model) }, archives),
    "$program_libraries")
end

-- The tests of `ninja check` that are about models. Returns a table: `facts` (of each model its binary), `sharing`,
-- `bits`, `criterion`, `models` (archives).
local function checked_tests(edges, archives, models, units)
  for _, model in ipairs(models) do
    model.isas = edges.two_isas
    edges:generate(model, test_models.folder_of(model, CHECK))
  end
  local inputs, facts, paths = inputs_of(edges, CHECK, archives, models), {}, {}
  for i, model in ipairs(models) do
    facts[i], paths[i] = facts_about(edges, archives, model), test_models.archive_path(CHECK, model)
  end
  return { facts = facts, models = paths,
    bits = some_models_test(edges, archives, models, { BITS }, CHECK.test .. "/bits", "bits", CHECK),
    sharing = link_all(edges, CHECK, { "out/obj/tests/standalone/standalone_sharing.o" }, inputs,
      "$program_libraries")[1],
    criterion = link_all(edges, CHECK, units.about_models, inputs, "$test_libraries") }
end

-- The Python wheels of some models of `ninja check`. Returns the paths; none where there is nothing to test them with.
local function test_wheels(edges, parts, models, has)
  local paths = {}
  if not has.numpy then return paths end
  wheel_edges.add_shared(edges, PLAIN.test)
  for i, model in ipairs(models) do
    local archives = { test_models.archive_path(CHECK, model), parts.core_archive, parts.weights }
    edges:version_map(model.spec.name)
    paths[i] = wheel_edges.add(edges, model, archives, parts.text_objects, PLAIN.test, has.wheel_platform)
  end
  return paths
end

-- The modules for Lua of some models of `ninja check`, and their libraries. Returns the paths.
local function test_lua(edges, parts, models, has)
  edges.makes_lua, edges.lua54 = not has.is_cross and parts.weights ~= nil, has.lua54
  if not edges.makes_lua then return {} end
  local paths = {}
  paths = joined(paths, lua_edges.add_shared(edges, PLAIN.test))
  for _, model in ipairs(models) do
    local archives = { test_models.archive_path(CHECK, model), parts.core_archive, parts.weights }
    edges:version_map(model.spec.name)
    paths = joined(paths, lua_edges.add(edges, model, archives, parts.text, PLAIN.test))
  end
  return paths
end

-- The tests of `ninja check-all` that are about models. Programs before whose functions the linker puts others, and
-- those that have the C library's allocator themselves, cannot be where sanitizers stand too. Returns a table of paths:
-- `program`, `criterion`, `no_libc`, `failing`. text: the archive of libga_text, or nil.
local function all_tests(edges, archives, models, units, has, text)
  for _, model in ipairs(models) do edges:generate(model, test_models.folder_of(model, ALL)) end
  local inputs = inputs_of(edges, ALL, archives, models)
  local tests = { no_libc = {}, failing = {},
    program = link_all(edges, ALL, units.standalone, inputs, "$program_libraries"),
    criterion = link_all(edges, ALL, units.about_models, inputs, "$test_libraries") }
  if has.wraps then
    tests.no_libc = link_all(edges, ALL, objects_of(edges, PLAIN, "no_libc"), inputs,
      "$program_libraries -ldl -Wl,--wrap=ga_model_run,--wrap=ga_model_pack")
    tests.failing = link_all(edges, ALL, objects_of(edges, PLAIN, "failing"), inputs, "$program_libraries -ldl")
    if text then
      tests.failing = joined(tests.failing, link_all(edges, ALL, objects_of(edges, PLAIN, "text_failing"), { text },
        "$text_libraries -ldl"))
    end
  end
  return tests
end

-- The programs of some of the test models. Returns their paths.
local function model_programs(edges, parts, models)
  local paths = {}
  for i, model in ipairs(models) do
    local main = edges:model_objects(PLAIN, edges:outputs(model), test_models.folder_of(model, ALL), "program")
    paths[i] = edges:link(PLAIN, "out/test/bin/" .. model.spec.name, joined(main, Edges.text_of(model, parts), {
      parts.program, parts.weights, test_models.archive_path(ALL, model), parts.core_archive }),
      "$text_libraries $program_libraries")
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

-- The best instruction set this CPU runs, and the portable one.
local function two_isas(edges)
  local isas = {}
  for _, name in ipairs(edges.isas) do
    local is_best = edges.runs[name] and #isas == 0
    if name == PORTABLE or is_best then isas[#isas + 1] = name end
  end
  return isas[1] and isas or edges.isas
end

-- The models of examples/ with every file that their users have, in folders of their own: what is configured may have
-- their names. Returns the paths.
local function example_files(edges, parts, models)
  local folder = PLAIN.test .. "/examples"
  local paths = edges.makes_lua and lua_edges.add_shared(edges, folder) or {}
  for _, model in ipairs(models) do
    model.isas = edges.two_isas
    local product = edges:product(model, parts, folder)
    paths = joined(paths, { product.header, product.program }, product.libraries, product.sqlite, product.lua_modules)
  end
  return paths
end

-- The wheels of the models of examples/layer.py and examples/embed.py, in a folder of their own.
local EXAMPLE_WHEELS = { mha_512_8 = true, encoder = true }

local function example_wheels(edges, parts, models, has)
  local root, paths = PLAIN.test .. "/examples", {}
  if not has.numpy then return paths end
  wheel_edges.add_shared(edges, root)
  for _, model in ipairs(models) do
    local name = model.spec.name
    local archives = { ("%s/lib/lib%s.a"):format(root, name), parts.weights }
    if EXAMPLE_WHEELS[name] then
      paths[#paths + 1] = wheel_edges.add(edges, model, archives, parts.text_objects, root, has.wheel_platform)
    end
  end
  return paths
end

-- Two models as users get them, header, archive and shared object, for tests/host/linking.lua. Returns the paths.
local function linking_libraries(edges, parts, models)
  local paths, folder = {}, PLAIN.test .. "/linking"
  for _, model in ipairs(models) do
    local name, from = model.spec.name, test_models.folder_of(model, ALL)
    local objects = joined(test_models.existing_objects(edges, edges:outputs(model), from), parts.core)
    paths[#paths + 1] = edges:copy(("%s/%s.h"):format(from, name), ("%s/%s.h"):format(folder, name))
    paths[#paths + 1] = edges:archive(("%s/lib%s.a"):format(folder, name), objects)
    paths = joined(paths, edges:shared_library(folder, name, objects))
  end
  return paths
end

-- standalone_kernels linked as a user links two models: with libraries of which each has the runtime's objects too; and
-- once more for a CPU that nobody knows. Returns the paths.
local function two_libraries_tests(edges, parts, archives, models)
  local inputs = { FACTS, archives[1], table_object(edges, PLAIN, "two", models) }
  for _, model in ipairs(models) do
    local folder, outputs = test_models.folder_of(model, ALL), edges:outputs(model)
    inputs[#inputs + 1] = edges:archive(("out/test/two/lib%s.a"):format(model.spec.name),
      joined(test_models.existing_objects(edges, outputs, folder), parts.core))
  end
  inputs[#inputs + 1] = archives[1]
  local cpu = edges:compile(PLAIN, "tests/emulate/unknown_cpu.c", "out/test/unknown_cpu.o", "$runtime_includes")
  return edges:link(PLAIN, "out/test/two_kernels", inputs, "$program_libraries"),
    edges:link(PLAIN, "out/test/unknown_cpu", joined({ cpu }, inputs), "$program_libraries")
end

-- The kernel facts once more, linked with the libraries of the user's own models.
local function configured_test(edges, products, archives, models)
  local inputs = { FACTS, archives[1], table_object(edges, PLAIN, "configured", models) }
  for _, product in ipairs(products) do inputs[#inputs + 1] = product.archive end
  return edges:link(PLAIN, "out/test/configured", joined(inputs, archives), "$program_libraries")
end

local function is_any_emulated(edges, models)
  for _, model in ipairs(models) do
    for _, output in ipairs(edges:outputs(model)) do
      if EMULATED[output.variant] then return true end
    end
  end
end

-- standalone_kernels with a CPU that has everything in front of the runtime's, and the kernels it lacks emulated; nil
-- where there is nothing to emulate, or nothing to emulate it with.
local function emulated_test(edges, archives, models, has)
  if not has.simde or not is_any_emulated(edges, models) then return nil end
  edges:section("Tests of kernels this CPU may lack, emulated")
  local cpu = edges:compile(EMULATION, "tests/emulate/cpu.c", EMULATION.test .. "/cpu.o", "$runtime_includes")
  local inputs = joined({ cpu }, inputs_of(edges, EMULATION, archives, models))
  return link_all(edges, EMULATION, { FACTS }, inputs, "$program_libraries")[1]
end

-- standalone_kernels and standalone_bits for another architecture and all its instruction sets; nil where no emulator
-- runs them.
local function cross_tests(edges, models, has)
  if not has.cross then return nil end
  local isas = test_models.split(isa.names(), function(name) return isa.is_of(isa.get(name), has.cross.arch) end)
  local cross = setmetatable({ isas_of = function() return isas end, libraries_only = true }, { __index = edges })
  edges:section("Tests of kernels for another architecture")
  for _, model in ipairs(models) do cross:generate(model, test_models.folder_of(model, CROSS)) end
  local archives = { support_archive(cross, CROSS, INCLUDES), cross:shared_parts(CROSS).core_archive }
  local objects = {}
  for i, name in ipairs({ "standalone_kernels", "standalone_bits" }) do
    local path = test_folders.path(name)
    objects[i] = cross:compile(CROSS, path .. ".c", ("%s/%s.o"):format(CROSS.obj, path), INCLUDES)
  end
  return link_all(cross, CROSS, objects, inputs_of(cross, CROSS, archives, models), CROSS.libraries)
end

-- The standalone programs under the memory sanitizer.
local function unset_tests(edges, models)
  local portable = setmetatable({ isas_of = function() return { PORTABLE } end }, { __index = edges })
  edges:section("Tests under the memory sanitizer")
  for _, model in ipairs(models) do portable:generate(model, test_models.folder_of(model, UNSET)) end
  local archives = shared_archives(portable, UNSET, portable:shared_parts(UNSET))
  archives[#archives + 1] = portable:compile(UNSET, "tests/emulate/unseen.c", UNSET.test .. "/unseen.o",
    "$jansson_cflags")
  return binaries_of(portable, UNSET, archives, models, {})
end

local function some_of(models, name)
  return test_models.split(models, function(model) return roles[name][model.spec.name] end)
end

-- The programs under the thread sanitizer with the models of its few rounds; and with all models that share, which only
-- check-races has compiled, the calls, whose path is returned.
local function races_tests(edges, models)
  local few, others = test_models.split(models, function(model) return roles.races[model.spec.name] end)
  local archives = shared_archives(edges, RACES, edges:shared_parts(RACES))
  binaries_of(edges, RACES, archives, few, {})
  test_models.archives(edges, RACES, some_of(others, "shared"))
  local object, path = RACES.obj .. "/tests/standalone/standalone_sharing.o", RACES.test .. "/shared/standalone_sharing"
  return some_models_test(edges, archives, models, { object }, path, "shared", RACES)
end

-- Edges of what is run under sanitizers or emulated, into tests.
local function add_sanitized(edges, archives, models, tests, has)
  local few = some_of(models, "emulated")
  tests.emulated = emulated_test(edges, archives, few, has)
  edges:section("Tests under sanitizers")
  local looked_at = test_models.split(models, function(model) return test_models.is_sanitized(model.spec.name) end)
  local parts = edges:shared_parts(SANITIZED)
  local sanitized = shared_archives(edges, SANITIZED, parts)
  tests.sanitized = binaries_of(edges, SANITIZED, sanitized, looked_at, has, parts.text)
  tests.sanitized.models = looked_at
  edges:section("Tests under the thread sanitizer")
  tests.shared = some_of(models, "shared")
  tests.races = races_tests(edges, models)
  if has.msan then tests.unset = unset_tests(edges, some_of(models, "memory")) end
end

-- A copy of the models, which may get other instruction sets.
local function copies(models)
  local list = {}
  for i, model in ipairs(models) do list[i] = { spec = model.spec, path = model.path } end
  return list
end

-- Edges of what `ninja check-all` has besides, into tests.
local function add_all(edges, parts, archives, models, tests, has)
  edges:section("Tests of all models")
  test_models.take_turns(edges, models.tests)
  tests.all = all_tests(edges, archives, models.tests, tests.units, has, parts.text)
  tests.all.models = {}
  for i, model in ipairs(models.tests) do tests.all.models[i] = test_models.archive_path(ALL, model) end
  tests.some = some_models_test(edges, archives, models.tests, { FACTS }, "out/test/some_kernels", "every_line")
  tests.soak = some_models_test(edges, archives, models.tests, objects_of(edges, PLAIN, "soak"), "out/test/soak",
    "soak")
  tests.bits = some_models_test(edges, archives, models.tests, { BITS }, "out/test/bits", "bits")
  tests.some_bits = some_models_test(edges, archives, models.tests, { BITS }, "out/test/some_bits", "some_bits")
  tests.numbers = some_models_test(edges, archives, models.tests, number_edges(edges), "out/test/numbers", "numbers")
  tests.programs = model_programs(edges, parts, some_of(models.tests, "programs"))
  tests.versions = version_libraries(edges, parts, models.versions)
  edges:section("Models of the examples")
  tests.example_wheels = example_wheels(edges, parts, models.examples, has)
  tests.examples = example_files(edges, parts, models.examples)
  tests.linking = linking_libraries(edges, parts, some_of(models.tests, "linked"))
  tests.cross = cross_tests(edges, copies(some_of(models.tests, "cross")), has)
  tests.two, tests.unknown_cpu = two_libraries_tests(edges, parts, archives, some_of(models.tests, "races"))
end

-- Adds all edges of the tests' binaries. parts, products: graph.add_products', of the configured models; models:
-- models.tested's, with those `configured`; has: configure's answers. Returns the paths of the binaries: units;
-- checked, all and sanitized, each by kind as above; races, of check-races; configured; some, with models that use
-- every template; soak; numbers; bits and some_bits; wheels and example_wheels; lua_modules; programs of some models;
-- emulated and cross (or nil); two and unknown_cpu; of what more models are tested with; shared, the models whose
-- calls share threads; parts, which other graphs link; and of the libraries' objects.
return function(edges, parts, products, models, has)
  edges.two_isas = two_isas(edges)
  edges.has_standin = has.criterion and has.criterion.is_standin
  edges.library[CHECK], edges.library[ALL] = {}, {}
  edges:section("Tests")
  local archives = shared_archives(edges, PLAIN, parts)
  local tests = { units = unit_tests(edges, archives, has, parts.text), parts = joined({ FACTS }, archives) }
  tests.configured = configured_test(edges, products, archives, models.configured)
  tests.checked = checked_tests(edges, archives, copies(some_of(models.tests, "check")), tests.units)
  tests.wheels = test_wheels(edges, parts, some_of(models.tests, "wheels"), has)
  tests.lua_modules = test_lua(edges, parts, some_of(models.tests, "lua"), has)
  add_all(edges, parts, archives, models, tests, has)
  add_sanitized(edges, archives, models.tests, tests, has)
  tests.checked.objects, tests.all.objects = edges.library[CHECK], joined(edges.library[ALL], edges.library[PLAIN])
  return tests
end
