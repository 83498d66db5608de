-- configure_tests.lua: writes the graph of the tests, out/test/build.ninja with the lists of its targets, from what
-- configure saved. build.ninja runs it when tests are asked for. Generates no C but the tests' tables of models and
-- lists of score modifiers.
package.path = "generator/?.lua;generator/?/init.lua;?.lua;" .. package.path

local files = require "build.files"
local fs = require "base.fs"
local saved = require "build.saved"
local tested = require "tests.build.tested"
local test_graph = require "tests.build.graph"
local test_modifiers = require "tests.build.modifiers"

local FOLDER = "out/test"

local function main()
  local configured = saved.read()
  if not configured.answers.jansson then
    io.stderr:write("tests: they need jansson, which this compiler does not find\n")
    return false
  end
  local found, errors = tested(configured.products)
  if not found then
    for _, message in ipairs(errors) do io.stderr:write("tests: ", message, "\n") end
    return false
  end
  test_modifiers.write()
  local texts, folders = test_graph(FOLDER, configured, found)
  texts[#texts + 1] = { "build.d", files.depfile(FOLDER .. "/build.ninja", folders) }
  local written, why = fs.write_all(FOLDER, texts)
  if not written then io.stderr:write("tests: ", why, "\n") end
  return written ~= nil
end

os.exit(main() and 0 or 1)
