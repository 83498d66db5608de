-- build.lua: writes the ninja file of a build of its own that makes tests/standalone/standalone_bits.c with models by
-- any compiler, flags and C library: it takes no library but the C library's. Builds and runs nothing itself, which
-- tests/bits/compiler.sh does.
--
--     lua5.4 tests/bits/build.lua out/bits/gcc avx512,avx2,scalar 'gcc -O3' '-static' [MODEL...]
package.path = "generator/?.lua;generator/?/init.lua;?.lua;" .. package.path

local Edges = require "build.edges"
local compat = require "base.compat"
local fs = require "base.fs"
local ninja = require "ninja"
local extremes = require "tests.bits.extremes"
local spec = require "spec"
local roles = require "tests.build.roles"
local test_modifiers = require "tests.build.modifiers"
local text = require "base.text"

-- What chooses calls and makes weights.
local HELPERS = { "tests/support", "tests/kernels" }
local INCLUDES = "$runtime_includes $program_includes $test_includes -I " .. test_modifiers.FOLDER

-- Warnings are those of the compiler that the tree is configured for, which compiles all of this with them elsewhere.
local function head(folder, compiler, ldflags)
  local w = ninja.writer()
  w:line(("# Written by tests/bits/build.lua.\nbuilddir = %s\ninclude out/config.ninja"):format(folder))
  for _, row in ipairs({ { "cc", compiler }, { "ldflags", ldflags }, { "cflags", "" }, { "cppflags", "" },
    { "warnings", "" }, { "opt", "" }, { "kernel_opt", "" }, { "debug", "" }, { "callgraph", "" }, { "mode", "" },
    { "valgrind_cflags", "" } }) do
    w:variable(row[1], row[2])
  end
  w:line("include rules.ninja")
  return w
end

-- The models { spec, path, isas, wisdom } of these names that have a row of the table; without names those of the test
-- compilers. extreme: "" for the plans of the cost model, or the values of tuning parameters that extremes.lua gives.
local function models_of(names, folder, isas, extreme)
  local models = {}
  for i, name in ipairs(names[1] and names or text.sorted_keys(roles.some_bits)) do
    local path = ("tests/specs/%s.lua"):format(name)
    if not roles.bits[name] then error(name .. ": no row of tests/bits/bits.txt is of this model", 0) end
    models[i] = { spec = assert(spec.read(path)), path = path, isas = isas }
    models[i].wisdom = extreme ~= "" and extremes(folder, models[i], extreme) or nil
  end
  return models
end

local function write(folder, isas, compiler, ldflags, names)
  local edges = Edges.new(isas, 0, { libraries_only = true })
  local profile = { obj = folder .. "/obj", lib = folder, test = folder, variables = {} }
  edges.w = head(folder, compiler, ldflags)
  local helpers = {}
  for _, helper in ipairs(HELPERS) do
    helpers = Edges.joined(helpers, edges:folder_objects(profile, helper, INCLUDES))
  end
  local objects = Edges.joined(
    { edges:compile(profile, "tests/standalone/standalone_bits.c", profile.obj .. "/bits.o", INCLUDES) },
    edges:models_with_table(profile, models_of(names, folder, isas, os.getenv("TUNED") or ""), INCLUDES),
    { edges:archive(folder .. "/libhelpers.a", helpers), edges:shared_parts(profile).core_archive })
  edges.w:line("default " .. edges:link(profile, folder .. "/bits", objects, "-lm -pthread"))
  test_modifiers.write()
  assert(fs.write_all(folder, { { "build.ninja", edges.w:text() } }))
end

local isas = {}
for name in assert(arg[4], "usage: lua build.lua FOLDER ISAS COMPILER LDFLAGS [MODEL...]") and arg[2]:gmatch("[^,]+") do
  isas[#isas + 1] = name
end
local ok, why = pcall(write, arg[1], isas, arg[3], arg[4], { compat.unpack(arg, 5) })
if not ok then
  io.stderr:write("build.lua: ", tostring(why), "\n")
  os.exit(1)
end
