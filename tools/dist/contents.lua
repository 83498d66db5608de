-- contents.lua: which files an archive of one model has, and how each C file of it is compiled: the generated ones, the
-- runtime, what reads weights, the program, and the facts of kernels that `make check` runs. Copies nothing.
local Edges = require "build.edges"
local emit = require "emit"
local fs = require "base.fs"
local test_folders = require "tests.build.folders"

local contents = {}

local joined = Edges.joined

contents.RUNTIME_INCLUDES = { "include", "include/genattn" }
contents.TEST_INCLUDES = { "tests", "tests/support", "tests/kernels" }
contents.TESTS, contents.TABLE = "tests/support", "tests/models.c"

-- A C file in the archive, and its flags.
local function source(path, flags)
  return { path = path, object = path:gsub("%.c$", ".o"), flags = flags or {} }
end

-- Adds the files of a folder that end so to `copies`; returns their paths in the archive.
local function copy_folder(copies, folder, ending)
  local paths = {}
  for _, name in ipairs(assert(fs.list(folder))) do
    local path = folder .. "/" .. name
    if name:find(ending) then
      copies[#copies + 1] = { from = path, to = path }
      paths[#paths + 1] = path
    end
  end
  return paths
end

-- The C files of folders of `top`, which are copied with their headers; flags: of each.
local function hand_written(copies, top, folders, flags)
  local list = {}
  for _, folder in ipairs(folders) do
    copy_folder(copies, top .. "/" .. folder, "%.h$")
    for _, path in ipairs(copy_folder(copies, top .. "/" .. folder, "%.c$")) do
      list[#list + 1] = source(path, flags)
    end
  end
  return list
end

local PLACES = { header = "include/%s", internal = "model/%s", library = "model/%s", program = "model/%s" }

-- Generated files by kind.
local function generated(copies, model, isas, folder)
  local of = { library = {}, program = {} }
  for _, output in ipairs(emit.outputs(model, isas)) do
    local path = PLACES[output.kind]:format(output.path)
    copies[#copies + 1] = { from = folder .. "/" .. output.path, to = path }
    local list = of[output.kind]
    if list then list[#list + 1] = source(path, output.cflags) end
  end
  return of
end

-- -- What make check runs -------------------------------------------------------------------------------------------

-- Adds a helper of the tests, its header, and those that it includes.
local function add_helper(found, name)
  local path = contents.TESTS .. "/" .. name
  if found[name] ~= nil or not (fs.exists(path .. ".h") or fs.exists(path .. ".c")) then return end
  found[name] = fs.exists(path .. ".c")
  for _, ending in ipairs({ ".h", ".c" }) do
    local text = fs.read(path .. ending) or ""
    for used in text:gmatch('#include "([%w_]+)%.h"') do add_helper(found, used) end
    for used in text:gmatch('#include "support/([%w_]+)%.h"') do add_helper(found, used) end
  end
end

-- The helpers that these files use, and those of those.
local function helpers(paths)
  local found = {}
  for _, path in ipairs(paths) do
    for name in assert(fs.read(path)):gmatch('#include "[%w_/]-([%w_]+)%.h"') do add_helper(found, name) end
  end
  return found
end

local function check_sources(copies)
  local main = test_folders.path("standalone_kernels") .. ".c"
  copies[#copies + 1] = { from = main, to = main }
  local headers = copy_folder(copies, "tests/kernels", "%.h$")
  local paths = joined(copy_folder(copies, "tests/kernels", "%.c$"), { main })
  copy_folder(copies, "tests/support/modifiers", "%.h$")
  copy_folder(copies, "tests/support", "%.h$")
  local list = { source(contents.TABLE) }
  for _, path in ipairs(paths) do list[#list + 1] = source(path) end
  local names = {}
  for name, has_source in pairs(helpers(joined(paths, headers))) do names[#names + 1] = has_source and name or nil end
  table.sort(names)
  for _, name in ipairs(names) do
    local path = ("%s/%s.c"):format(contents.TESTS, name)
    copies[#copies + 1] = { from = path, to = path }
    list[#list + 1] = source(path)
  end
  return list
end

-- -- All of it ------------------------------------------------------------------------------------------------------

local function includes()
  local list = joined(contents.RUNTIME_INCLUDES)
  for _, folder in ipairs(joined(Edges.CORE, Edges.WEIGHTS)) do list[#list + 1] = "runtime/" .. folder end
  for _, folder in ipairs(Edges.PROGRAM) do list[#list + 1] = "program/" .. folder end
  return list
end

-- What an archive has of a model, a spec that was read, for these instruction sets. folder: where it was generated.
-- Returns a table: copies, { from, to } each; library, weights, program and check, lists of { path, object, flags };
-- headers, paths; includes, folders.
function contents.of(model, isas, folder)
  local copies = { { from = "LICENSE", to = "LICENSE" }, { from = Edges.KNOWN_ISAS, to = "program/known_isas.c" },
    { from = ("out/lib/%s.map"):format(model.name), to = model.name .. ".map" },
    { from = Edges.TEXT_HEADER, to = "program/io/ga_text.h" } } -- as the program knows of text, and has none
  local own = generated(copies, model, isas, folder)
  for _, name in ipairs(assert(fs.list(Edges.PUBLIC_HEADERS))) do
    copies[#copies + 1] = { from = Edges.PUBLIC_HEADERS .. "/" .. name, to = "include/genattn/" .. name }
  end
  local jansson = { "$(JANSSON_CFLAGS)" }
  local all = { copies = copies, includes = includes(), headers = {},
    library = joined(own.library, hand_written(copies, "runtime", Edges.CORE)),
    weights = hand_written(copies, "runtime", Edges.WEIGHTS, jansson),
    program = joined(own.program, hand_written(copies, "program", Edges.PROGRAM, jansson),
      { source("program/known_isas.c") }),
    check = check_sources(copies) }
  for _, copy in ipairs(copies) do
    if copy.to:find("%.h$") then all.headers[#all.headers + 1] = copy.to end
  end
  return all
end

return contents
