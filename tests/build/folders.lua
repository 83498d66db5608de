-- folders.lua: what a C file of the tests is, which the folder that it lies in says. Adds no edge of its own.
local Edges = require "build.edges"
local fs = require "base.fs"

local test_folders = {}

-- Tests by Criterion, those of them that are linked with test models, and those with libga_text; programs with a main()
-- of their own; fixtures, which are programs that tests of the command line run; programs that stand before the C
-- library, by the linker's means or by their own, of which one is about libga_text; the soak; what stands in for
-- Criterion; and helpers, which all of these are linked with.
local FOLDERS = {
  { kind = "criterion", folder = "tests/unit" },
  { kind = "model_criterion", folder = "tests/pytorch" },
  { kind = "text_criterion", folder = "tests/text" },
  { kind = "program", folder = "tests/standalone" },
  { kind = "fixture", folder = "tests/program" },
  { kind = "no_libc", folder = "tests/no_libc" },
  { kind = "failing", folder = "tests/failing" },
  { kind = "text_failing", folder = "tests/text/failing" },
  { kind = "soak", folder = "tests/soak" },
  { kind = "standin", folder = "tests/standins/criterion" },
  { kind = "helper", folder = "tests/support" },
  { kind = "helper", folder = "tests/host" },
  { kind = "helper", folder = "tests/kernels" },
  { kind = "helper", folder = "tests/threads" },
}

-- The objects of all files of a kind, with an edge for each. edges: an Edges; flags: what is added to the compiler's.
function test_folders.objects(edges, profile, kind, flags)
  local objects = {}
  for _, row in ipairs(FOLDERS) do
    if row.kind == kind then
      objects = Edges.joined(objects, edges:folder_objects(profile, row.folder, flags))
    end
  end
  return objects
end

-- The path of the file NAME.c, without ".c"; an error where there is none in any of these folders.
function test_folders.path(name)
  for _, row in ipairs(FOLDERS) do
    local path = row.folder .. "/" .. name
    if fs.exists(path .. ".c") then return path end
  end
  error(("no folder of the tests has %s.c"):format(name), 0)
end

return test_folders
