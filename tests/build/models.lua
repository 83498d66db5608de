-- models.lua: the test models' edges: which instruction sets each is built for, what of it every profile compiles
-- anew, and the archive of each. What is linked with them is in binaries.lua.
local Edges = require "build.edges"
local profiles = require "tests.build.profiles"
local roles = require "tests.build.roles"
local test_modifiers = require "tests.build.modifiers"

-- What files of tests that know models include; and they are compiled with what their libraries ask for.
local INCLUDES = ("$runtime_includes $program_includes $test_includes -I %s $jansson_cflags $criterion_cflags"):format(
  test_modifiers.FOLDER)

local test_models = { INCLUDES = INCLUDES }

local PLAIN, joined = Edges.PLAIN, Edges.joined
local ALL, ALL_QUICK, CHECK, PORTABLE = profiles.ALL, profiles.ALL_QUICK, profiles.CHECK, profiles.PORTABLE
local EMULATED, EMULATION = profiles.EMULATED, profiles.EMULATION

-- Where a model's generated files lie: sanitizers compile those that all models have.
function test_models.folder_of(model, profile)
  return (profile.gen or ALL.gen) .. model.spec.name
end

-- Splits a list, of a model's outputs for one: those a profile compiles anew, and those it takes as they are.
function test_models.split(outputs, is_anew)
  local anew, as_is = {}, {}
  for _, output in ipairs(outputs) do
    local list = is_anew(output) and anew or as_is
    list[#list + 1] = output
  end
  return anew, as_is
end

-- Roles whose models have every instruction set, and -O2.
local WHOLE_ROLES = { "emulated", "wide", "numbers", "races", "every_line" }

function test_models.is_whole(name)
  for _, role in ipairs(WHOLE_ROLES) do
    if roles[role][name] then return true end
  end
  return false
end

-- Models of none of these roles are the same text with other numbers: each gets one of the instruction sets of vectors
-- that this CPU runs, in turns, besides the portable one.
function test_models.take_turns(edges, models)
  local turn = 0
  for _, model in ipairs(models) do
    local vectors = test_models.split(edges.isas, function(isa) return isa ~= PORTABLE and edges.runs[isa] end)
    if #vectors > 1 and not test_models.is_whole(model.spec.name) then
      turn = turn + 1
      local chosen = vectors[turn % #vectors + 1]
      model.isas = test_models.split(edges.isas, function(isa) return isa == PORTABLE or isa == chosen end)
    end
  end
end

-- Whether check-all takes the object that check makes of an output: of the same text, with the flags of ALL_QUICK.
local function is_made_by_check(edges, name, output)
  if test_models.is_whole(name) or not roles.check[name] then return false end
  for _, isa in ipairs(edges.two_isas) do
    if output.isa == isa then return true end
  end
  return false
end

-- The objects of the library files among the outputs, which are compiled elsewhere.
function test_models.existing_objects(edges, outputs, folder)
  local name, objects = folder:match("[^/]*$"), {}
  for _, output in ipairs(outputs) do
    local from = is_made_by_check(edges, name, output) and CHECK.gen .. name or folder
    if output.kind == "library" then objects[#objects + 1] = edges.object_path(PLAIN, from, output) end
  end
  return objects
end

-- Emulation compiles the variants it emulates, the sanitizers those of sets that this CPU can run; as a model is linked
-- with all of them, the others stay as they are.
local COMPILE = {}

function COMPILE.emulated(edges, _, outputs, folder)
  local anew, as_is = test_models.split(outputs, function(output) return EMULATED[output.variant] end)
  local objects = test_models.existing_objects(edges, as_is, folder)
  for _, output in ipairs(anew) do
    if output.kind == "library" then
      local object = edges.object_path(EMULATION, folder, output)
      objects[#objects + 1] = edges:compile(EMULATION, folder .. "/" .. output.path, object, EMULATED[output.variant])
    end
  end
  return objects
end

-- Whether sanitizers look at a model: the other test models have the same text with other numbers.
function test_models.is_sanitized(name)
  return roles.every_line[name] or roles.wide[name] or roles.goldens[name]
end

-- Whether a sanitizer looks at a model's kernels of one instruction set: at all models' portable ones; of vectors at
-- those that between them use every line; of the widest, which take it ten seconds a file, at a few.
local function is_set_sanitized(name, isa)
  if not isa or isa == PORTABLE then return true end
  if EMULATED[isa] then return roles.wide[name] end
  return roles.every_line[name] or roles.wide[name]
end

function COMPILE.sanitized(edges, profile, outputs, folder)
  local name = folder:match("[^/]*$")
  local anew, as_is = test_models.split(outputs, function(output)
    return (not output.isa or edges.runs[output.isa]) and is_set_sanitized(name, output.isa)
  end)
  return joined(edges:model_objects(profile, anew, folder, "library"),
    test_models.existing_objects(edges, as_is, folder))
end

COMPILE.races = COMPILE.sanitized

function COMPILE.check(edges, profile, outputs, folder)
  return edges:model_objects(profile, outputs, folder, "library")
end

COMPILE.unset, COMPILE.cross = COMPILE.check, COMPILE.check

function COMPILE.test(edges, profile, outputs, folder)
  local name = folder:match("[^/]*$")
  if test_models.is_whole(name) then return COMPILE.check(edges, profile, outputs, folder) end
  local checked, others = test_models.split(outputs, function(output) return is_made_by_check(edges, name, output) end)
  edges.library[ALL_QUICK] = edges.library[ALL]
  return joined(edges:model_objects(ALL_QUICK, others, folder, "library"),
    test_models.existing_objects(edges, checked, folder))
end

function test_models.archive_path(profile, model)
  return ("%s/models/lib%s.a"):format(profile.test, model.spec.name)
end

-- One archive for each test model.
function test_models.archives(edges, profile, models)
  local archives = {}
  for i, model in ipairs(models) do
    local folder, outputs = test_models.folder_of(model, profile), edges:outputs(model)
    archives[i] = edges:archive(test_models.archive_path(profile, model),
      COMPILE[profiles.NAMES[profile]](edges, profile, outputs, folder))
  end
  return archives
end

-- The object of the table of some test models, under a name.
function test_models.table_object(edges, profile, name, models)
  local source = ("out/gen/%s_models.c"):format(name)
  Edges.write_table(source, models)
  return edges:compile(profile, source, ("%s/%s_models.o"):format(profile.test, name), INCLUDES)
end

-- A binary of objects and of the test models of a role. name: the role; profile: that of the archives of models and of
-- the binary, without it those of all models.
function test_models.some_models_test(edges, archives, models, objects, path, name, profile)
  local some = test_models.split(models, function(model) return roles[name][model.spec.name] end)
  local label = profile and profiles.NAMES[profile] .. "/" .. name or name
  local inputs = joined(objects, { archives[1], test_models.table_object(edges, profile or PLAIN, label, some) })
  for _, model in ipairs(some) do inputs[#inputs + 1] = test_models.archive_path(profile or ALL, model) end
  return edges:link(profile or PLAIN, path, joined(inputs, archives), "$program_libraries")
end

return test_models
