-- edges.lua: out/kernels.ninja, the build edges that come in lists: by source file, by generated file, by model.
-- Rules, flags and fixed targets are in build.ninja and out/config.ninja, written for reading; here is only what they
-- are applied to. Which files a model has is asked of emit, never listed.
local emit = require "emit"
local fs = require "base.fs"
local isa = require "isa"
local ninja = require "ninja"

local edges = {}

-- Runtime files that read and write weight files, and so need jansson; the rest goes into every model's library.
local FILE_PARTS = { "^safetensors", "^weights", "^load" }
-- Runtime headers a user of a model includes.
local PUBLIC_HEADERS = { "status", "tensor", "arena", "cpu", "model", "weights", "load" }

local INCLUDE_TESTS = "-I out/include -I runtime -I program -I tests -I tests/support $jansson_cflags $criterion_cflags"

-- -- Profiles -------------------------------------------------------------------------------------------------------

-- The same sources are built twice: as configured, and under sanitizers for check-sanitize.
local PLAIN = { obj = "out/obj", lib = "out/lib", test = "out/test", variables = {} }
local SANITIZED = { obj = "out/sanitize/obj", lib = "out/sanitize/lib", test = "out/sanitize/test",
  variables = { { "mode", ninja.raw("$sanitize") }, { "opt", "-O1" }, { "kernel_opt", "-O1" } } }

local Edges = {}
Edges.__index = Edges

-- One array of the items of all the arrays; nil counts as an empty one.
local function joined(...)
  local all = {}
  for i = 1, select("#", ...) do
    for _, item in ipairs((select(i, ...)) or {}) do all[#all + 1] = item end
  end
  return all
end

-- -- Small edges ----------------------------------------------------------------------------------------------------

function Edges:section(title)
  self.w:line()
  self.w:comment(title)
end

function Edges:compile(profile, source, object, flags, more)
  self.w:build({ rule = "cc", outputs = { object }, inputs = { source }, order_only = self.headers,
    variables = joined({ { "flags", ninja.raw(flags) } }, profile.variables, more) })
  return object
end

function Edges:archive(path, objects)
  self.w:build({ rule = "ar", outputs = { path }, inputs = objects })
  return path
end

function Edges:link(profile, path, inputs, libraries)
  self.w:build({ rule = "link", outputs = { path }, inputs = inputs,
    variables = joined({ { "libraries", ninja.raw(libraries) } }, profile.variables) })
  return path
end

function Edges:copy(from, to)
  self.w:build({ rule = "copy", outputs = { to }, inputs = { from } })
  return to
end

-- The C files of a folder, without ".c", for which wanted(name) holds.
local function c_files(folder, wanted)
  local names = {}
  for _, file in ipairs(assert(fs.list(folder))) do
    local name = file:match("^(.*)%.c$")
    if name and (not wanted or wanted(name)) then names[#names + 1] = name end
  end
  return names
end

local function is_file_part(name)
  for _, pattern in ipairs(FILE_PARTS) do
    if name:find(pattern) then return true end
  end
  return false
end

-- -- Hand-written C -------------------------------------------------------------------------------------------------

function Edges:folder_objects(profile, folder, flags, wanted)
  local objects = {}
  for i, name in ipairs(c_files(folder, wanted)) do
    objects[i] = self:compile(profile, folder .. "/" .. name .. ".c", ("%s/%s/%s.o"):format(profile.obj, folder, name),
      flags)
  end
  return objects
end

-- The parts every model shares: objects of the runtime's core, and the archives beside it.
function Edges:shared_parts(profile)
  local parts = { core = self:folder_objects(profile, "runtime", "-I runtime", function(name)
    return not is_file_part(name)
  end) }
  parts.core_archive = self:archive(profile.obj .. "/libga_core.a", parts.core)
  parts.weights = self:archive(profile.lib .. "/libga_weights.a",
    self:folder_objects(profile, "runtime", "-I runtime $jansson_cflags", is_file_part))
  parts.program = self:archive(profile.lib .. "/libga_program.a",
    self:folder_objects(profile, "program", "-I runtime -I program $jansson_cflags"))
  return parts
end

function Edges:public_headers()
  for _, name in ipairs(PUBLIC_HEADERS) do
    self.headers[#self.headers + 1] = self:copy("runtime/" .. name .. ".h", "out/include/genattn/" .. name .. ".h")
  end
end

-- -- Generated models -----------------------------------------------------------------------------------------------

-- The edge that generates a model into `folder`; its outputs as emit names them.
function Edges:generate(model, folder)
  local outputs, paths = emit.outputs(model.spec, self.isas), {}
  for i, output in ipairs(outputs) do paths[i] = folder .. "/" .. output.path end
  self.w:build({ rule = "emit", outputs = paths, implicit = { model.path }, variables = {
    { "spec", model.path }, { "isa", table.concat(self.isas, ",") }, { "dir", folder }, { "first", paths[1] },
  } })
  return outputs
end

-- Objects of a generated model's files of one kind, "library" or "program".
function Edges:model_objects(profile, outputs, folder, kind)
  local objects = {}
  for _, output in ipairs(outputs) do
    if output.kind == kind then
      local flags = { "-I out/include -I runtime -I program" }
      if output.isa then flags = joined(flags, isa.get(output.isa).cflags) end
      local object = profile.obj .. (folder .. "/" .. output.path):gsub("^out", ""):gsub("%.c$", ".o")
      objects[#objects + 1] = self:compile(profile, folder .. "/" .. output.path, object, table.concat(flags, " "),
        output.isa and { { "opt", ninja.raw("$kernel_opt") } })
    end
  end
  return objects
end

-- lib<name>.so, which shows only the model's and the runtime's names, versioned by the ABI.
function Edges:shared_library(name, objects)
  local map, versioned = ("out/lib/%s.map"):format(name), ("out/lib/lib%s.so.%d"):format(name, self.abi)
  assert(fs.write_if_changed(map, ("{\n  global: %s_*; ga_*;\n  local: *;\n};\n"):format(name)) ~= nil)
  self.w:build({ rule = "shared", outputs = { versioned }, inputs = objects, implicit = { map },
    variables = { { "map", map }, { "soname", versioned:match("[^/]*$") } } })
  self.w:build({ rule = "symlink", outputs = { ("out/lib/lib%s.so"):format(name) }, inputs = { versioned } })
  return { versioned, ("out/lib/lib%s.so"):format(name) }
end

-- Libraries, header and program of one model; returns their paths, by kind.
function Edges:product(model, parts)
  local name = model.spec.name
  local folder = "out/gen/" .. name
  self:section(("%s, from %s"):format(name, model.path))
  local outputs = self:generate(model, folder)
  local objects = joined(self:model_objects(PLAIN, outputs, folder, "library"), parts.core)
  local archive = self:archive(("out/lib/lib%s.a"):format(name), objects)
  local main = self:model_objects(PLAIN, outputs, folder, "program")
  return {
    header = self:copy(("%s/%s.h"):format(folder, name), ("out/include/%s.h"):format(name)),
    archive = archive,
    libraries = joined({ archive }, self:shared_library(name, objects)),
    program = self:link(PLAIN, "out/bin/" .. name, joined(main, { parts.program, parts.weights, archive }),
      "$program_libraries"),
  }
end

-- -- Tests ----------------------------------------------------------------------------------------------------------

-- What a C file in tests/ is, by its name: a Criterion test, a program with a main of its own, or else a helper.
local TEST_KINDS = {
  { kind = "criterion", pattern = "^test_" },
  { kind = "program", pattern = "^plain_" },
  { kind = "program", pattern = "_fixture$" },
  { kind = "helper", pattern = "" },
}

local function is_kind(kind)
  return function(name)
    for _, row in ipairs(TEST_KINDS) do
      if name:find(row.pattern) then return row.kind == kind end
    end
  end
end

-- A C file with the table of models that tests/kernels.h declares.
local function model_table(path, list)
  local lines = { "// Written by configure: the models this test binary is linked with.", '#include "kernels.h"', "" }
  for _, model in ipairs(list) do
    lines[#lines + 1] = ("extern const struct ga_model %s_model;"):format(model.spec.name)
  end
  lines[#lines + 1] = "\nconst struct ga_model *const ga_test_models[] = {"
  for _, model in ipairs(list) do lines[#lines + 1] = ("    &%s_model,"):format(model.spec.name) end
  lines[#lines + 1] = ("};\nconst size_t n_ga_test_models = %d;\n"):format(#list)
  assert(fs.write_if_changed(path, table.concat(lines, "\n")) ~= nil)
end

function Edges:test_models(profile, models)
  local archives = {}
  for i, model in ipairs(models.tests) do
    local folder = "out/gen/test/" .. model.spec.name
    if profile == PLAIN then self:generate(model, folder) end
    local objects = self:model_objects(profile, emit.outputs(model.spec, self.isas), folder, "library")
    archives[i] = self:archive(("%s/models/lib%s.a"):format(profile.test, model.spec.name), objects)
  end
  return archives
end

function Edges:test_objects(profile, kind)
  return self:folder_objects(profile, "tests", INCLUDE_TESTS, is_kind(kind))
end

-- Links each object into a test binary of its name. Returns the paths.
function Edges:link_tests(profile, objects, inputs, libraries)
  local binaries = {}
  for i, object in ipairs(objects) do
    local path = profile.test .. "/" .. object:match("([^/]*)%.o$")
    binaries[i] = self:link(profile, path, joined({ object }, inputs), libraries)
  end
  return binaries
end

-- The archives all tests are linked with: helpers, the program's and the runtime's parts.
function Edges:test_archives(profile, parts)
  local support = self:archive(profile.test .. "/libsupport.a",
    joined(self:folder_objects(profile, "tests/support", INCLUDE_TESTS), self:test_objects(profile, "helper")))
  return { support, parts.program, parts.weights, parts.core_archive }
end

-- Every test binary of a profile, linked with the test models. Returns the paths by kind.
function Edges:test_binaries(profile, archives, models)
  local names = self:archive(profile.test .. "/libtest_models.a", { self:compile(profile, "out/gen/test_models.c",
    profile.test .. "/test_models.o", INCLUDE_TESTS) })
  -- The helpers stand before the table of models, which they read, and before the runtime, which all call.
  local inputs = joined({ archives[1], names }, self:test_models(profile, models), archives)
  local binaries = { criterion = {} }
  binaries.program = self:link_tests(profile, self:test_objects(profile, "program"), inputs, "$program_libraries")
  if self.has_criterion then
    binaries.criterion = self:link_tests(profile, self:test_objects(profile, "criterion"), inputs, "$test_libraries")
  end
  return binaries
end

-- The kernel facts once more, linked with the libraries of the user's own models.
function Edges:configured_test(products, archives)
  local names = self:compile(PLAIN, "out/gen/configured_models.c", "out/test/configured_models.o", INCLUDE_TESTS)
  local runner = self.has_criterion and "test_kernels" or "plain_kernels"
  local inputs = { ("out/obj/tests/%s.o"):format(runner), archives[1], names }
  for _, product in ipairs(products) do inputs[#inputs + 1] = product.archive end
  return self:link(PLAIN, "out/test/configured", joined(inputs, archives),
    self.has_criterion and "$test_libraries" or "$program_libraries")
end

-- All tests; returns { plain, sanitized, configured }, the first two by kind.
function Edges:tests(parts, models, products)
  model_table("out/gen/test_models.c", models.tests)
  model_table("out/gen/configured_models.c", models.configured)
  self:section("Tests")
  local archives = self:test_archives(PLAIN, parts)
  local tests = { plain = self:test_binaries(PLAIN, archives, models) }
  tests.configured = self:configured_test(products, archives)
  self:section("Tests under sanitizers")
  tests.sanitized = self:test_binaries(SANITIZED, self:test_archives(SANITIZED, self:shared_parts(SANITIZED)), models)
  return tests
end

-- -- The whole file -------------------------------------------------------------------------------------------------

local function collect(products, key)
  local list = {}
  for _, product in ipairs(products) do
    list = joined(list, type(product[key]) == "table" and product[key] or { product[key] })
  end
  return list
end

-- Names for what build.ninja's targets are made of.
function Edges:targets(parts, products, tests)
  local headers, libraries, programs = collect(products, "header"), collect(products, "libraries"),
    collect(products, "program")
  local shared = { parts.weights, parts.program }
  self:section("Targets")
  self.w:phony("all", joined(headers, libraries, programs, shared, self.headers))
  self.w:phony("test_binaries", joined(tests.plain.criterion, tests.plain.program, { tests.configured }))
  self.w:phony("sanitized_binaries", joined(tests.sanitized.criterion, tests.sanitized.program))
  self.w:build({ rule = "bench", outputs = { "out/run_bench" }, implicit = programs,
    variables = { { "programs", table.concat(programs, " ") } } })
  self.w:build({ rule = "install", outputs = { "install" }, implicit = { "all" }, variables = {
    { "headers", table.concat(headers, " ") }, { "runtime_headers", table.concat(self.headers, " ") },
    { "libraries", table.concat(joined(libraries, shared), " ") }, { "programs", table.concat(programs, " ") },
  } })
end

-- Makes the text of out/kernels.ninja. models: models.collect's; isas: names, best first; abi: a number;
-- has_criterion: whether its tests can be built. Returns the text and the paths of the test binaries:
-- { plain = { criterion, program }, sanitized = { criterion, program }, configured }.
function edges.write(models, isas, abi, has_criterion)
  local self = setmetatable({ w = ninja.writer(), isas = isas, abi = abi, has_criterion = has_criterion, headers = {} },
    Edges)
  self.w:comment("Written by configure; read build.ninja first.")
  self:public_headers()
  local parts = self:shared_parts(PLAIN)
  local products, users = {}, {}
  for i, model in ipairs(models.products) do
    products[i] = self:product(model, parts)
    if i <= #models.configured then users[i] = products[i] end
  end
  local tests = self:tests(parts, models, users)
  self:targets(parts, users, tests)
  return self.w:text(), tests
end

return edges
