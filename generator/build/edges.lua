-- edges.lua: the build edges that come in lists: by source file, by generated file, by model.
-- Rules, flags and fixed targets are in build.ninja and out/config.ninja, written for reading; here is only what they
-- are applied to. Which files a model has is asked of emit, never listed.
local emit = require "emit"
local fs = require "base.fs"
local isa = require "isa"
local lua_edges = require "build.lua_edges"
local ninja = require "ninja"
local sqlite_edges = require "build.sqlite_edges"
local wheel_edges = require "build.wheel_edges"

-- Runtime folders that go into every model's library, and the one that reads weight files, which needs jansson.
local CORE, WEIGHTS = { "base", "model", "packing", "call", "cache", "threads", "packed" }, { "weights" }
local PROGRAM = { "commands", "io", "heatmap", "report", "rounding" }
-- Folders of libga_text, which needs jansson, utf8proc and PCRE2.
local TEXT = { "", "/base", "/models", "/normalizers", "/pretokenizers", "/decoders", "/gguf", "/chat" }
-- Folders that programs link in place of ranks_unlinked.c and placement_unlinked.c, if configure was asked for them.
local MPI, HWLOC = "program/mpi", "program/hwloc"
-- The file that a program with text also links, and the header of its users.
local TEXT_LINKED, TEXT_HEADER = "text/program/text_linked.c", "text/ga_text.h"
-- Runtime headers a user of a model includes.
local PUBLIC_HEADERS = "runtime/include/genattn"
-- The one for C++, which includes them.
local CPP_HEADER = "bindings/cpp/genattn.hpp"

local Edges = { CORE = CORE, WEIGHTS = WEIGHTS, PROGRAM = PROGRAM, PUBLIC_HEADERS = PUBLIC_HEADERS,
  TEXT_HEADER = TEXT_HEADER }
Edges.__index = Edges

-- Where things go, what is added to every edge, and to the edges of kernels. The same sources are built twice: as
-- configured, and under sanitizers for check-sanitize. portable_flags: what kernels of no flags of their own get.
Edges.PLAIN = { obj = "out/obj", lib = "out/lib", test = "out/test", variables = {},
  kernel_variables = { { "opt", ninja.raw("$kernel_opt") } }, library_flags = " $callgraph" }
Edges.SANITIZED = { obj = "out/sanitize/obj", lib = "out/sanitize/lib", test = "out/sanitize/test",
  variables = { { "mode", ninja.raw("$sanitize") }, { "opt", "-Og" } }, portable_flags = "$fused" }
local PLAIN = Edges.PLAIN

-- Where configure writes the table of program/report/isas.h.
Edges.KNOWN_ISAS = "out/known_isas.c"

-- isas: names, best first; abi: a number; what, all optional: libraries_only: without jansson nothing is made that
-- reads files; intrinsics: the folder of compiled headers, nil where the compiler makes none; text, mpi, hwloc, sqlite,
-- lua: libga_text, programs that link MPI or hwloc, extensions of SQLite, modules of Lua are made; lua54: configure's
-- answer, where C modules of Lua are; wheel_platform: wheels are, for what they call this machine. runs: the set of
-- those this CPU can run, for the caller to fill; library: for each profile whose library objects are of interest their
-- paths, as edges for them are made; maps: the files written to out/lib here.
function Edges.new(isas, abi, what)
  what = what or {}
  return setmetatable({ w = ninja.writer(), isas = isas, abi = abi, libraries_only = what.libraries_only,
    has_text = what.text, has_mpi = what.mpi, has_hwloc = what.hwloc, has_sqlite = what.sqlite, makes_lua = what.lua,
    lua54 = what.lua54, lua_text = {}, wheel_platform = what.wheel_platform, headers = {}, runs = {}, maps = {},
    library = { [PLAIN] = {} }, intrinsics = what.intrinsics, precompiled = {} }, Edges)
end

-- One array of the items of all the arrays; nil counts as an empty one.
function Edges.joined(...)
  local all = {}
  for i = 1, select("#", ...) do
    for _, item in ipairs((select(i, ...)) or {}) do all[#all + 1] = item end
  end
  return all
end

local joined = Edges.joined

-- -- Small edges ----------------------------------------------------------------------------------------------------

function Edges:section(title)
  self.w:line()
  self.w:comment(title)
end

-- implicit: what is made before, and makes it anew.
function Edges:compile(profile, source, object, flags, more, implicit)
  self.w:build({ rule = "cc", outputs = { object }, inputs = { source }, implicit = implicit,
    order_only = self.headers, variables = joined({ { "flags", ninja.raw(flags) } }, profile.variables, more) })
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

-- An object of the libraries that users link.
function Edges:compile_library(profile, source, object, flags, more, implicit)
  local library = self.library[profile]
  if library then library[#library + 1] = object end
  return self:compile(profile, source, object, flags .. (profile.library_flags or ""), more, implicit)
end

-- -- Hand-written C -------------------------------------------------------------------------------------------------

function Edges:folder_objects(profile, folder, flags, wanted)
  local objects, compile = {}, folder:find("^runtime/") and self.compile_library or self.compile
  for i, name in ipairs(c_files(folder, wanted)) do
    objects[i] = compile(self, profile, folder .. "/" .. name .. ".c", ("%s/%s/%s.o"):format(profile.obj, folder, name),
      flags)
  end
  return objects
end

-- Objects of several folders of `top`, runtime or program.
function Edges:parts_of(profile, top, folders, flags)
  local objects = {}
  for _, folder in ipairs(folders) do
    objects = joined(objects, self:folder_objects(profile, top .. "/" .. folder, flags))
  end
  return objects
end

-- The parts every model shares: objects of the runtime's core, and the other archives.
function Edges:shared_parts(profile)
  local parts = { core = self:parts_of(profile, "runtime", CORE, "$runtime_includes") }
  parts.core_archive = self:archive(profile.obj .. "/libga_core.a", parts.core)
  if self.libraries_only then return parts end
  parts.weights = self:archive(profile.lib .. "/libga_weights.a",
    self:parts_of(profile, "runtime", WEIGHTS, "$runtime_includes $jansson_cflags"))
  local flags = "$runtime_includes $program_includes $jansson_cflags"
  local known_isas = self:compile(profile, Edges.KNOWN_ISAS, profile.obj .. "/known_isas.o", flags)
  parts.program = self:archive(profile.lib .. "/libga_program.a",
    joined(self:parts_of(profile, "program", PROGRAM, flags), { known_isas }))
  if self.has_text then self:text_parts(profile, parts) end
  local includes = "$runtime_includes $program_includes "
  parts.linked = joined(self.has_mpi and self:folder_objects(profile, MPI, includes .. "$mpi_cflags"),
    self.has_hwloc and self:folder_objects(profile, HWLOC, includes .. "$hwloc_cflags"))
  return parts
end

-- The libraries of text, and what a program links for it.
function Edges:text_parts(profile, parts)
  local flags, objects = "$text_includes $text_cflags", {}
  for _, folder in ipairs(TEXT) do
    objects = joined(objects, self:folder_objects(profile, "text" .. folder, flags))
  end
  parts.text_objects = objects
  objects = joined(objects, { profile.obj .. "/runtime/base/status.o" })
  parts.text_linked = self:compile(profile, TEXT_LINKED, profile.obj .. "/text/program/text_linked.o",
    "$text_includes $program_includes")
  parts.text = self:archive(profile.lib .. "/libga_text.a", objects)
  if profile == PLAIN then
    parts.text_shared = self:shared_library(profile.lib, "ga_text", objects, "$text_libraries")
  end
end

function Edges:public_headers()
  for _, file in ipairs(assert(fs.list(PUBLIC_HEADERS))) do
    self.headers[#self.headers + 1] = self:copy(PUBLIC_HEADERS .. "/" .. file, "out/include/genattn/" .. file)
  end
  if self.has_text then self.headers[#self.headers + 1] = self:copy(TEXT_HEADER, "out/include/genattn/ga_text.h") end
  self.headers[#self.headers + 1] = self:copy(CPP_HEADER, "out/include/genattn/" .. CPP_HEADER:match("[^/]*$"))
end

-- -- Generated models -----------------------------------------------------------------------------------------------

-- The instruction sets of a model { spec, path, isas }: without isas those of the build.
function Edges:isas_of(model)
  return model.isas or self.isas
end

-- The files of a model, as emit names them.
function Edges:outputs(model)
  return emit.outputs(model.spec, self:isas_of(model))
end

-- The edge that generates a model into `folder`, by the file model.wisdom if it has one; its outputs.
function Edges:generate(model, folder)
  local outputs, paths, isas = self:outputs(model), {}, table.concat(self:isas_of(model), ",")
  for i, output in ipairs(outputs) do paths[i] = folder .. "/" .. output.path end
  self.w:build({ rule = "emit", outputs = paths, implicit = { model.path, model.wisdom }, variables = {
    { "spec", ninja.word(model.path) }, { "isa", isas }, { "dir", folder }, { "first", paths[1] },
    model.wisdom and { "wisdom", "--wisdom=" .. model.wisdom } or nil,
  } })
  return outputs
end

-- Where the object of one of emit's outputs goes.
function Edges.object_path(profile, folder, output)
  return profile.obj .. (folder .. "/" .. output.path):gsub("^out", ""):gsub("%.c$", ".o")
end

-- The header of an instruction set's intrinsics, compiled with an output's flags and those of a profile's kernels: to
-- read gcc's takes longer than to compile most kernels. nil where there is none to read, or the compiler is not the one
-- that was asked. gcc reads the header where it finds the compiled one unfit, for one flag more or less; clang stops,
-- so only tests have it then.
function Edges:precompiled_header(profile, set, cflags)
  local folder = profile.test:gsub("^out/", ""):gsub("/", "_")
  local name = set.name .. table.concat(cflags, "", #set.cflags + 1):gsub("%-m", "_")
  local path = self.intrinsics and ("%s/%s/%s.h"):format(self.intrinsics, folder, name)
  local has_own_compiler = profile.variables[1] and profile.variables[1][1] == "cc"
  if not path or not set.headers[1] or has_own_compiler then return nil end
  if not self.precompiled[path] then
    local text = ("#include <%s>\n"):format(table.concat(set.headers, ">\n#include <"))
    assert(fs.write_if_changed(path, text) ~= nil)
    self.w:build({ rule = "precompile", outputs = { path .. ".gch" }, inputs = { path }, variables = joined(
      { { "flags", table.concat(cflags, " ") } }, profile.variables, profile.kernel_variables) })
    self.precompiled[path] = true
  end
  return path
end

-- What an output for an instruction set is compiled with: flags, variables, and what is made before it.
function Edges:kernel_flags(profile, output)
  local header = self:precompiled_header(profile, isa.get(output.isa), output.cflags)
  local flags = joined(output.cflags, header and { "-include " .. header },
    #output.cflags == 0 and { profile.portable_flags })
  return flags, profile.kernel_variables, header and { header .. ".gch" }
end

-- Objects of a generated model's files of one kind, "library" or "program".
function Edges:model_objects(profile, outputs, folder, kind)
  local objects, compile = {}, kind == "library" and self.compile_library or self.compile
  for _, output in ipairs(outputs) do
    if output.kind == kind then
      local flags, variables, implicit = {}, nil, nil
      if output.isa then flags, variables, implicit = self:kernel_flags(profile, output) end
      flags = joined({ "$runtime_includes $program_includes -I out/include" }, flags)
      objects[#objects + 1] = compile(self, profile, folder .. "/" .. output.path,
        self.object_path(profile, folder, output), table.concat(flags, " "), variables, implicit)
    end
  end
  return objects
end

-- The list of the names that a shared object of a model shows: the model's and the runtime's. Returns its path.
function Edges:version_map(name)
  local map = ("out/lib/%s.map"):format(name)
  assert(fs.write_if_changed(map, ("{\n  global: %s_*; ga_*;\n  local: *;\n};\n"):format(name)) ~= nil)
  self.maps[#self.maps + 1] = map
  return map
end

-- A shared object that shows the names that the map lists. rule: "shared", or "shared_whole" for all that archives
-- have; libraries: what it needs, or nil. Returns its path.
function Edges:shared_object(rule, path, inputs, map, libraries)
  self.w:build({ rule = rule, outputs = { path }, inputs = inputs, implicit = { map },
    variables = { { "map", map }, { "soname", path:match("[^/]*$") },
      libraries and { "libraries", ninja.raw(libraries) } or nil } })
  return path
end

-- lib<name>.so in a folder, versioned by the ABI.
function Edges:shared_library(folder, name, objects, libraries)
  local versioned = self:shared_object("shared", ("%s/lib%s.so.%d"):format(folder, name, self.abi), objects,
    self:version_map(name), libraries)
  self.w:build({ rule = "symlink", outputs = { ("%s/lib%s.so"):format(folder, name) }, inputs = { versioned } })
  return { versioned, ("%s/lib%s.so"):format(folder, name) }
end

-- The program of a model from its outputs in a folder and the archives; nil where none is made. text: what it links of
-- libga_text, or nil.
function Edges:program(path, outputs, folder, archives, text)
  if self.libraries_only then return nil end
  return self:link(PLAIN, path, joined(self:model_objects(PLAIN, outputs, folder, "program"), text, archives),
    (text and "$text_libraries $program_libraries" or "$program_libraries") .. " $mpi_libraries $hwloc_libraries")
end

-- What the program of a model links of libga_text: a model without tokens has none.
function Edges.text_of(model, parts)
  return parts.text and model.spec.vocab_size and { parts.text_linked, parts.text } or nil
end

-- Where a model is generated whose files go to folders of `root`.
function Edges.generated_folder(root, name)
  return ("%s/gen/%s"):format(root, name)
end

-- Libraries, header and program of one model, in folders of `root`; returns their paths, by kind.
function Edges:product(model, parts, root)
  local name = model.spec.name
  local folder = Edges.generated_folder(root, name)
  self:section(("%s, from %s"):format(name, model.path))
  local outputs = self:generate(model, folder)
  local objects = joined(self:model_objects(PLAIN, outputs, folder, "library"), parts.core)
  local archive = self:archive(("%s/lib/lib%s.a"):format(root, name), objects)
  local shared = self:shared_library(root .. "/lib", name, objects)
  return {
    header = self:copy(("%s/%s.h"):format(folder, name), ("%s/include/%s.h"):format(root, name)),
    archive = archive, shared = shared, libraries = joined({ archive }, shared),
    program = self:program(("%s/bin/%s"):format(root, name), outputs, folder,
      joined(parts.linked, { parts.program, parts.weights, archive }), Edges.text_of(model, parts)),
    sqlite = self.has_sqlite and
      sqlite_edges.add(self, PLAIN, model, { archive, parts.weights, parts.text }, root) or nil,
    wheels = self.wheel_platform and wheel_edges.add(self, model, { archive, parts.weights }, parts.text_objects,
      root, self.wheel_platform),
    lua_modules = self.makes_lua and lua_edges.add(self, model, { archive, parts.weights }, parts.text, root),
  }
end

-- -- Tests of any models --------------------------------------------------------------------------------------------

-- Writes a C file with the table of models that tests/kernels/kernels.h declares.
function Edges.write_table(path, list)
  local lines = { "// Written by configure: the models this test binary is linked with.", '#include "kernels.h"', "" }
  for _, model in ipairs(list) do
    lines[#lines + 1] = ("extern const struct ga_model %s_model;"):format(model.spec.name)
  end
  lines[#lines + 1] = "\nconst struct ga_model *const ga_test_models[] = {"
  for _, model in ipairs(list) do lines[#lines + 1] = ("    &%s_model,"):format(model.spec.name) end
  lines[#lines + 1] = ("};\nconst size_t n_ga_test_models = %d;\n"):format(#list)
  assert(fs.write_if_changed(path, table.concat(lines, "\n")) ~= nil)
end

-- Objects of models in a build of their own, with those of the table of them, which is compiled with `flags`.
function Edges:models_with_table(profile, models, flags)
  local objects = {}
  for _, model in ipairs(models) do
    local folder = ("%s/gen/%s"):format(profile.test, model.spec.name)
    objects = joined(objects, self:model_objects(profile, self:generate(model, folder), folder, "library"))
  end
  local names = profile.test .. "/models.c"
  Edges.write_table(names, models)
  objects[#objects + 1] = self:compile(profile, names, profile.test .. "/models.o", flags)
  return objects
end

return Edges
