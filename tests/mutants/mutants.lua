-- mutants.lua: changes the source in one place at a time, as a slip would, and expects the test that is named for it to
-- fail: a test that nothing can fail keeps nothing. The lists are in tests/mutants/; the source itself is not touched.
-- Builds in a folder of its own, once as it is and then, for each mutant, only what its change reaches.
--
--     lua5.4 tests/mutants/mutants.lua out/mutants [COUNT]     -- COUNT of them, spread over the lists; 0: all
--
-- A mutant is { name, file, from, to, test, why }: `from` occurs in the file once, and gets replaced by `to`. test:
--
--     { "criterion", "test_model", "model/packing*" }      a test of tests/unit/test_model.c, by Criterion's filter
--     { "program", "failing_loader", "numbers" }           a program of tests/failing or tests/standalone, and what it
--                                                          is asked to do, or nil
--     { "facts", "small_24_3", "threads_change_no_bit" }   a fact of tests/kernels about a model of tests/specs;
--                                                          effort: percent of its work, nil for the least that helps
--     { "lua", "spec_test" }                               a file of tests/generator
package.path = "generator/?.lua;generator/?/init.lua;tests/mutants/?.lua;?.lua;" .. package.path
local Edges = require "build.edges"
local compat = require "base.compat"
local emit = require "emit"
local fmt = require "base.fmt"
local fs = require "base.fs"
local ninja = require "ninja"
local spec = require "spec"
local test_folders = require "tests.build.folders"
local test_modifiers = require "tests.build.modifiers"
local text_of = require "text_of"

local INCLUDES = "$runtime_includes $program_includes $test_includes -I out/gen/tests $jansson_cflags " ..
  "$criterion_cflags $fused"
-- Facts of models are checked in portable C, with so many percent of the usual work.
local ISAS, EFFORT = { "scalar" }, 2
-- Seconds after which a test has failed: a mutant may run for ever.
local LIMIT = 120

local OUT = arg[1]
local LUA = arg[-1]
local PROFILE = { obj = OUT .. "/obj", lib = OUT .. "/lib", test = OUT .. "/test",
  variables = { { "opt", "-Og" }, { "warnings", "-w" } } }

local HEAD = [[
# Written by tests/mutants/mutants.lua.
builddir = %s
include out/config.ninja
include rules.ninja

# What a test says, and its exit status in a last line. A test that fails is no failure of the edge.
rule said
  command = timeout %d sh -c $test_command >$out 2>&1; echo " $$?" >>$out
  description = RUN $out
]]

local joined = Edges.joined

-- -- Mutants --------------------------------------------------------------------------------------------------------

-- Every mutant of the lists whose kind of test can be built here.
local function read_lists()
  local all, names, skipped = {}, {}, 0
  local has_criterion = assert(fs.read("out/config.ninja")):find("-lcriterion", 1, true)
  for _, list in ipairs(text_of.LISTS) do
    for _, mutant in ipairs(dofile(("tests/mutants/%s.lua"):format(list))) do
      assert(not names[mutant.name], mutant.name .. ": two mutants have this name")
      names[mutant.name] = true
      if mutant.test[1] == "criterion" and not has_criterion then
        skipped = skipped + 1
      else
        all[#all + 1] = mutant
      end
    end
  end
  if skipped > 0 then print(("skipped: %d mutants: no Criterion (Debian: libcriterion-dev)"):format(skipped)) end
  return all
end

-- All of them, or `count`, spread evenly.
local function choose(all, count)
  local some = {}
  for i, mutant in ipairs(all) do
    local is_taken = count == 0 or math.floor(i * count / #all) > math.floor((i - 1) * count / #all)
    if is_taken then some[#some + 1] = mutant end
  end
  return some
end

-- -- The tests as they are ------------------------------------------------------------------------------------------

-- The archives that every test is linked with.
local function shared_archives(edges)
  test_modifiers.write()
  local parts = edges:shared_parts(PROFILE)
  local support = edges:archive(PROFILE.test .. "/libsupport.a",
    test_folders.objects(edges, PROFILE, "helper", INCLUDES .. " $valgrind_cflags"))
  return { support, parts.program, parts.weights, parts.core_archive }
end

-- The object of a test, which is compiled once.
local function test_object(build, name)
  if not build.objects[name] then
    local path = test_folders.path(name)
    build.objects[name] = build.edges:compile(PROFILE, path .. ".c", ("%s/%s.o"):format(PROFILE.obj, path), INCLUDES)
  end
  return build.objects[name]
end

-- Generates a model by the generator in `root`, with its wisdom of tests/wisdom, if any; whether that went well.
local function generate(root, model, folder)
  local command = "mkdir -p %s && '%s' %sgenerator/main.lua --spec=%s%s --isa %s --out %s >%s/emit.log 2>&1"
  local path = ("tests/wisdom/%s.txt"):format(model.name)
  local wisdom = fs.exists(path) and " --wisdom=" .. path or ""
  return compat.execute(command:format(folder, LUA, root, model.path, wisdom, table.concat(ISAS, ","), folder, folder))
end

-- A model of tests/specs as it is: its files, the objects of each, and the object of a table with it alone.
local function model_of(build, name)
  if build.models[name] then return build.models[name] end
  local path = ("tests/specs/%s.lua"):format(name)
  local model = { name = name, path = path, spec = assert(spec.read(path)), folder = OUT .. "/gen/" .. name }
  assert(generate("", model, model.folder), path .. ": not generated")
  model.outputs = emit.outputs(model.spec, ISAS)
  model.objects = build.edges:model_objects(PROFILE, model.outputs, model.folder, "library")
  Edges.write_table(model.folder .. "/table.c", { model })
  model.table = build.edges:compile(PROFILE, model.folder .. "/table.c", model.folder .. "/table.o", INCLUDES)
  build.models[name] = model
  return model
end

-- -- What a mutant is built of --------------------------------------------------------------------------------------

-- How each kind of test is run and what in its output says that the named one, and no other, failed.
local RUN = {
  criterion = function(binary, test)
    return ("%s -j1 --filter='%s'"):format(binary, test[3]), "Failing: [1-9]", "Crashing: [1-9]"
  end,
  program = function(binary, test)
    return test[3] and ("%s '%s'"):format(binary, test[3]) or binary, "[1-9]%d* failed"
  end,
  facts = function(binary, test)
    return ("%s %d %s"):format(binary, test.effort or EFFORT, test[3]), "\n" .. test[3] .. ": %d+ of"
  end,
  lua = function(_, test)
    return ("cd %s/tree && '%s' tests/generator/%s.lua"):format(OUT, LUA, test[2]), "[1-9]%d* failed"
  end,
}

-- The edge that runs a test's binary of these objects before the archives. Returns the path of what it says. name: of
-- the binary.
local function run_edge(build, name, objects, test)
  local binary = build.edges:link(PROFILE, ("%s/bin/%s"):format(OUT, name), joined(objects, build.archives),
    test[1] == "criterion" and "$test_libraries" or "$program_libraries -ldl")
  local said = ("%s/said/%s"):format(OUT, name)
  build.edges.w:build({ rule = "said", outputs = { said }, inputs = { binary },
    variables = { { "test_command", ninja.word((RUN[test[1]](binary, test))) } } })
  return said
end

-- The objects that make a test, before the archives; those of mutated files come before all others.
local function test_objects(build, test, model_objects)
  if test[1] ~= "facts" then return { test_object(build, test[2]) } end
  local model = model_of(build, test[2])
  local facts = test_object(build, "standalone_kernels")
  return joined({ facts, build.archives[1], model.table }, model_objects or model.objects)
end

-- A C file that was changed becomes an object that the linker meets before the archives have theirs.
local function mutate_c(build, mutant, text)
  local source = ("%s/src/%s/%s"):format(OUT, mutant.name, mutant.file)
  assert(fs.write_if_changed(source, text) ~= nil, source)
  local object = build.edges:compile(PROFILE, source, source:gsub("%.c$", ".o"), INCLUDES)
  return joined({ object }, test_objects(build, mutant.test))
end

-- Runs with the mutated file in place of the tree's own; the tree is a copy of the generator, its templates and tools.
local function with_file(mutant, text, run)
  local path = ("%s/tree/%s"):format(OUT, mutant.file)
  local before = assert(fs.read(mutant.file))
  assert(fs.write_if_changed(path, text) ~= nil, path)
  local result, more = run()
  assert(fs.write_if_changed(path, before) ~= nil, path)
  return result, more
end

-- A model's files as a mutated generator makes them: those of the model that are there, and C files that only the
-- mutant has, as its kernels may have other names.
local function files_of(model, folder)
  local list, known = {}, {}
  for _, output in ipairs(model.outputs) do
    known[output.path] = true
    if fs.exists(folder .. "/" .. output.path) then list[#list + 1] = output end
  end
  for _, path in ipairs(assert(fs.list(folder))) do
    if path:find("%.c$") and not known[path] then list[#list + 1] = { path = path, kind = "library" } end
  end
  return list
end

-- Objects of a model as the mutated generator makes it: those of files that came out as they are without are shared.
local function changed_objects(build, mutant, model, folder)
  local objects, header_differs, same, outputs = {}, false, {}, files_of(model, folder)
  for i, output in ipairs(outputs) do
    same[i] = fs.read(folder .. "/" .. output.path) == fs.read(model.folder .. "/" .. output.path)
    header_differs = header_differs or not same[i] and output.path:find("%.h$") ~= nil
  end
  for i, output in ipairs(outputs) do
    if output.kind == "library" and same[i] and not header_differs then
      objects[#objects + 1] = Edges.object_path(PROFILE, model.folder, output)
    elseif output.kind == "library" then
      objects[#objects + 1] = build.edges:compile(PROFILE, folder .. "/" .. output.path,
        Edges.object_path(PROFILE, folder, output), INCLUDES)
      mutant.has_changed = true
    end
  end
  return objects
end

local function mutate_generator(build, mutant, text)
  local model = model_of(build, mutant.test[2])
  local folder = ("%s/gen/%s/%s"):format(OUT, mutant.name, model.name)
  local made = with_file(mutant, text, function() return generate(OUT .. "/tree/", model, folder) end)
  if not made then return nil, "the generator does not run: see " .. folder .. "/emit.log" end
  local objects = changed_objects(build, mutant, model, folder)
  if not mutant.has_changed then return nil, "generates the same C for " .. model.name end
  return test_objects(build, mutant.test, objects)
end

-- Plans a mutant: its binary, or for a test in Lua nothing but the text. What cannot be is in mutant.why_not.
local function plan(build, mutant)
  local text, why = text_of.mutant(mutant)
  local objects
  if text and mutant.test[1] == "lua" then
    mutant.text = text
  elseif text and mutant.file:find("%.h$") then
    why = "a header has no object that could be exchanged: make the slip in a .c file"
  elseif text then
    objects, why = (mutant.file:find("%.c$") and mutate_c or mutate_generator)(build, mutant, text)
  end
  mutant.why_not = why
  if objects then mutant.said = run_edge(build, mutant.name, objects, mutant.test) end
end

-- -- Running --------------------------------------------------------------------------------------------------------

-- What the output of a test that passed has: that it was there and looked at something.
local PASSED = { criterion = "Tested: [1-9]", program = "[1-9]%d* checks", facts = "[1-9]%d* checks",
  lua = "[1-9]%d* passed" }

-- Whether a test passed and whether it caught a mutant, from what it said and its exit status; and what it said.
local function read_result(test, output, code)
  local _, failed, crashed = RUN[test[1]]("", test)
  output = "\n" .. output
  local is_caught = code ~= 0 and (output:find(failed) or crashed and output:find(crashed)) ~= nil
  return code == 0 and output:find(PASSED[test[1]]) ~= nil, is_caught or code == 124, output
end

-- The result of a test that an edge ran, or of one in Lua, which is run here: it reads the one tree.
local function result_of(said, test)
  if said then
    local output, code = (fs.read(said) or " 1\n"):match("^(.*) (%d+)\n$") -- nothing where it does not compile
    return read_result(test, output, tonumber(code))
  end
  return read_result(test, compat.capture(("timeout %d sh -c %s"):format(LIMIT, fmt.sh_quote((RUN.lua(nil, test))))))
end

-- Whether the mutant's test passes on the source as it is, which is found out once.
local function passes(build, test)
  local key = table.concat(test, " ")
  if build.passes[key] == nil then build.passes[key] = result_of(build.controls[key], test) end
  return build.passes[key]
end

-- nil where the mutant's test catches it, or what is wrong.
local function judge(build, mutant)
  if mutant.why_not then return mutant.why_not end
  if mutant.said and not fs.exists(mutant.said) then return "does not compile" end
  if not passes(build, mutant.test) then return "its test does not pass on the source as it is" end
  local is_caught, output
  if mutant.text then
    is_caught = with_file(mutant, mutant.text, function() return (select(2, result_of(nil, mutant.test))) end)
  else
    is_caught, output = select(2, result_of(mutant.said, mutant.test))
  end
  if not is_caught then return "survives: " .. mutant.why .. (output and output:sub(-400) or "") end
end

local function report(build, mutants)
  local failed = 0
  for i, mutant in ipairs(mutants) do
    local wrong = judge(build, mutant)
    failed = failed + (wrong and 1 or 0)
    print(("[%d/%d] %s %s: %s"):format(i, #mutants, wrong and "FAIL" or "ok  ", mutant.name,
      wrong or "caught by " .. table.concat(mutant.test, " ")))
    io.stdout:flush()
  end
  print(("%d passed, %d failed"):format(#mutants - failed, failed))
  return failed == 0
end

-- -- All of it ------------------------------------------------------------------------------------------------------

-- A copy of what mutants of the generator change, beside links to the rest of what its tests read.
local function make_tree()
  local links = "tests text specs runtime program docs demo bench configure build.ninja rules.ninja README.md " ..
    "SECURITY.md"
  return compat.execute(([[rm -rf %s/tree && mkdir -p %s/tree && cp -RL generator templates tools %s/tree &&
    for name in %s; do ln -s "$PWD/$name" %s/tree/ || exit 1; done]]):format(OUT, OUT, OUT, links, OUT))
end

-- What each test says as it is.
local function add_controls(build, mutants)
  for _, mutant in ipairs(mutants) do
    local test = mutant.test
    local key = table.concat(test, " ")
    if test[1] ~= "lua" and not build.controls[key] then
      build.controls[key] = run_edge(build, "as_is_" .. key:gsub("[^%w]+", "_"), test_objects(build, test), test)
    end
  end
end

-- How many of them are asked for; ends the script where that is no number.
local function read_count(text)
  local count = text:match("^%d+$") and tonumber(text)
  if not count then
    io.stderr:write(("COUNT is '%s'; expected a whole number, 0 for all\n"):format(text))
    os.exit(2)
  end
  return count
end

local function main()
  local mutants = choose(read_lists(), read_count(arg[2] or "0"))
  local build = { edges = Edges.new(ISAS, 0), objects = {}, models = {}, controls = {}, passes = {} }
  assert(compat.execute(("rm -rf %s/bin %s/said"):format(OUT, OUT)) and make_tree())
  build.edges.w:line(HEAD:format(OUT, LIMIT))
  build.archives = shared_archives(build.edges)
  add_controls(build, mutants)
  for _, mutant in ipairs(mutants) do plan(build, mutant) end
  assert(fs.write_if_changed(OUT .. "/build.ninja", build.edges.w:text()) ~= nil)
  compat.execute(("ninja -k 0 -f %s/build.ninja"):format(OUT)) -- what does not compile is missed later
  os.exit(report(build, mutants))
end

main()
