-- build.lua: writes a ninja file that builds the fuzz targets, instrumented, with models of their own (specs/) in plain
-- C. Builds nothing itself: `ninja check-fuzz` has this write, then runs that file, then fuzz.sh runs the targets.
--
--     lua5.4 tests/fuzz/build.lua out/fuzz clang
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path
local Edges = require "build.edges"
local fs = require "base.fs"
local ninja = require "ninja"
local saved = require "build.saved"
local spec = require "spec"

local INCLUDES = "$runtime_includes $program_includes $test_includes -I tests/fuzz $jansson_cflags"
local SPECS = "tests/fuzz/specs"

-- Files are changed as what they are; text by libFuzzer's own means. `text`: a target of libga_text, which is left out
-- where that is not made.
local TARGETS = {
  { name = "weights", mutator = true },
  { name = "gguf" },
  { name = "inputs", mutator = true },
  { name = "pack" },
  { name = "text" },
  { name = "tokenizer", text = true },
}

local HEAD = [[
# Written by tests/fuzz/build.lua.
builddir = %s
include out/config.ninja
include rules.ninja
cc = %s
warnings = -Wall -Wextra $werror
]]

local SANITIZE = "-fsanitize=%s,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1"

-- Kernels are not optimized: clang takes a tenth of the time for them, and as many inputs are tried in a second.
local function profile_of(folder, fuzzer)
  return { obj = folder .. "/obj", lib = folder .. "/lib", test = folder, variables = {
    { "mode", ninja.raw(SANITIZE:format(fuzzer)) }, { "opt", "-O1" } }, kernel_variables = { { "opt", "-O0" } } }
end

local function read_models()
  local models = {}
  for i, file in ipairs(assert(fs.list(SPECS))) do
    local path = SPECS .. "/" .. file
    models[i] = { spec = assert(spec.read(path)), path = path }
  end
  return models
end

local function compile(edges, profile, name)
  return edges:compile(profile, ("tests/fuzz/%s.c"):format(name), ("%s/%s.o"):format(profile.obj, name), INCLUDES)
end

-- What stands after each target's own object.
local function add_shared(edges, profile, models)
  local parts = edges:shared_parts(profile)
  local support = { compile(edges, profile, "fuzz"), edges:compile(profile, "tests/support/rng.c",
    profile.obj .. "/rng.o", INCLUDES) }
  return Edges.joined(support, edges:models_with_table(profile, models, INCLUDES),
    { parts.program, parts.weights, parts.core_archive }, { parts.text })
end

local function write(folder, clang)
  local edges = Edges.new({ "scalar" }, 0, { text = saved.read().answers.text ~= nil })
  local profile = profile_of(folder, "fuzzer-no-link")
  edges.w:line(HEAD:format(folder, clang))
  local shared = add_shared(edges, profile, read_models())
  local mutator = compile(edges, profile, "mutate")
  for _, target in ipairs(TARGETS) do
    local inputs = { compile(edges, profile, "fuzz_" .. target.name), target.mutator and mutator or nil }
    if edges.has_text or not target.text then
      edges:link(profile_of(folder, "fuzzer"), ("%s/fuzz_%s"):format(folder, target.name),
        Edges.joined(inputs, shared), "$text_libraries $program_libraries")
    end
  end
  local malformed = edges:folder_objects(profile, "tests/support", INCLUDES, function(name)
    return name == "malformed" or name == "malformed_rows" or name == "malformed_gguf"
  end)
  edges:link(profile, folder .. "/write_seeds", Edges.joined({ compile(edges, profile, "seeds") }, malformed, shared),
    "$program_libraries")
  assert(fs.write_if_changed(folder .. "/build.ninja", edges.w:text()) ~= nil)
end

write(arg[1], arg[2])
