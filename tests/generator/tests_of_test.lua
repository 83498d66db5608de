-- tests_of_test.lua: which tests `ninja tests-of FILE` prints, and in which order, over a small graph of real files.
-- The commands of docs/testing.md run it as a target of ninja.
package.path = "tests/tools/?.lua;" .. package.path

local fact = dofile("tests/generator/fact.lua")
local edges_of = require "test_edges_of"
local fs = require "base.fs"
local tests_of = require "tests_of"

-- A library, a unit test of its own, one of another file, the facts of a model, and a script.
local GRAPH = [[
rule step
  command = true
build out/core.o: cc runtime/call/call_mask.c || out/include/order.h
build out/core.a: ar out/core.o
build out/test_tensor.o: cc tests/unit/test_tensor.c
build out/test_tensor: link out/test_tensor.o out/core.a
build out/test_call_memory.o: cc tests/unit/test_call_memory.c
build out/test_call_memory: link out/test_call_memory.o $
    out/core.a
build out/gen/m.c | out/gen/m.h: emit | tests/specs/cache_48_3_window.lua
  dir = out/gen
build out/m.o: cc out/gen/m.c
build out/facts.o: cc tests/standalone/standalone_kernels.c
build out/check/cache_48_3_window: link out/facts.o out/m.o out/core.a
build out/passed/tensor: step | out/test_tensor
  step_command = out/test_tensor
build out/passed/memory: step | out/test_call_memory
  step_command = out/test_call_memory
build out/passed/facts: step | out/check/cache_48_3_window
  step_command = 'out/check/cache_48_3_window 20'
build out/passed/script: step | tests/generator/tests_of_test.lua $
    generator/base/fs.lua
  step_command = 'lua5.4 tests/generator/tests_of_test.lua '\''a b'\'''
]]
local LIST = "always\tout/passed/facts\tfacts\nalways\tout/passed/tensor\ttensor\n" ..
  "changed\tout/passed/memory\tmemory\nalways\tout/passed/script\tscript\noff\t\tno tool\n"

local folder = fact.folder("tests_of")
assert(fs.write_all(folder, { { "build.ninja", GRAPH } }))
local graph = edges_of.read({ folder .. "build.ninja" })
local tests = tests_of.tests(graph, LIST)

local function lines_of(path)
  return tests_of.lines(path, tests_of.ranked(graph, tests, path))
end

fact.holds("the test that a mutant of the file names comes first, those that only use the file last", function()
  fact.lists_equal(lines_of("runtime/call/call_mask.c"), { "runtime/call/call_mask.c:",
    "    TESTS=out/test_call_memory ninja test-binaries && out/test_call_memory --filter " ..
      "call_memory/outputs_are_apart_from_every_other_tensor   # a mutant of the file must make it fail",
    "    TESTS=out/test_tensor ninja test-binaries && out/test_tensor   # uses it",
    "    TESTS=out/check/cache_48_3_window ninja test-binaries && out/check/cache_48_3_window 20   # uses it" })
end)

fact.holds("a test is its own file's first; a header's are those of what includes it", function()
  fact.contains(lines_of("tests/unit/test_tensor.c")[2], "out/test_tensor   # it is this test")
  fact.equal(#lines_of("tests/unit/test_tensor.c"), 2)
  fact.contains(table.concat(lines_of("runtime/call/call.h"), "\n"), "out/test_tensor   # uses it")
end)

fact.holds("a model's spec, a feature and any file of the generator lead to the model's facts", function()
  for path, why in pairs({ ["tests/specs/cache_48_3_window.lua"] = "uses it",
    ["generator/attention/modifiers/alibi.lua"] = "its model has alibi", ["generator/template.lua"] = "uses it" }) do
    fact.contains(table.concat(lines_of(path), "\n"), "out/check/cache_48_3_window 20   # " .. why)
  end
end)

fact.holds("a script runs by its own command, and names what it requires", function()
  fact.lists_equal(lines_of("generator/base/fs.lua"), { "generator/base/fs.lua:",
    "    lua5.4 tests/generator/tests_of_test.lua 'a b'   # tests/generator/tests_of_test.lua names \"base.fs\"",
    "    TESTS=out/check/cache_48_3_window ninja test-binaries && out/check/cache_48_3_window 20   # uses it" })
end)

fact.holds("a file without a test is said to have none", function()
  fact.lists_equal(lines_of("LICENSE"), { "LICENSE: no test reads or compiles this file" })
end)

fact.holds("of ninja's words the files of this tree count", function()
  local words = "/bin/sh\n-f\nbuild.ninja\n-C\ndocs\ntests-of\n./LICENSE\nruntime/call/call_mask.c\nno_file"
  fact.lists_equal(tests_of.files(words), { "LICENSE", "runtime/call/call_mask.c" })
end)

fact.holds("a file that is not there is named, and how to give one is said", function()
  fact.equal(tests_of.refusal(""),
    "tests-of: which file? ninja tests-of runtime/call/call_mask.c, or FILE=... ninja tests-of\n")
  fact.contains(tests_of.refusal("no_such.c"), "FILE=no_such.c is not a file of this folder")
end)

fact.finish()
