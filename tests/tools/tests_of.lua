-- tests_of.lua: prints the tests that read or compile a file, each with the command that runs it, most specific first.
-- Builds and runs no test.
--
--     lua tests/tools/tests_of.lua FOLDER WORDS...     -- FOLDER/build.ninja; of the words, one a line, files count
--
-- Which tests there are is what `ninja check-all` runs. A test is specific to a file where a mutant of the file names
-- it, where it has the file's name, or where its own text names what the file defines; the others only use the file.
package.path = "generator/?.lua;tests/tools/?.lua;tests/mutants/?.lua;" .. package.path

local compat = require "base.compat"
local edges_of = require "test_edges_of"
local fmt = require "base.fmt"
local fs = require "base.fs"
local text_of = require "text_of"

local M = {}

-- How many of the tests that only use a file are printed.
local MOST_USERS = 3

-- -- Words of the command line --------------------------------------------------------------------------------------

-- The files of this tree among the words of ninja's command line; what follows -f is ninja's own.
function M.files(words)
  local files, before = {}, nil
  for word in words:gmatch("[^\n]+") do
    local path = word:gsub("^%./", "")
    if before ~= "-f" and not path:find("^/") and fs.kind(path) == "file" then files[#files + 1] = path end
    before = word
  end
  return files
end

-- -- Tests ----------------------------------------------------------------------------------------------------------

-- The first word of a command that is a binary of this build, or nil.
local function binary_of(step)
  for word in step.step_command:gmatch("%S+") do
    if step.is_input[word] and word:find("^out/") then return word end
    if not word:find("=", 1, true) then return nil end
  end
end

local function is_source(path)
  return not path:find("^out/") and fs.kind(path) == "file"
end

local function builds_nothing(step)
  for _, path in ipairs(step.inputs) do
    if path ~= "|" and not path:find("^files_of_") and not is_source(path) then return false end
  end
  return true
end

-- The command that runs a step by hand. filter: of Criterion, or nil.
local function command_of(step, filter)
  local binary = binary_of(step)
  if binary then
    return ("TESTS=%s ninja test-binaries && %s%s"):format(binary, step.step_command,
      filter and " --filter " .. fmt.sh_quote(filter) or "")
  end
  return builds_nothing(step) and step.step_command or ("TESTS=%s ninja test-binaries"):format(step.outputs[1])
end

-- Programs whose facts are files of a folder.
local FACTS = { standalone_kernels = "tests/kernels", standalone_threads = "tests/threads",
  standalone_dlopen = "tests/host" }

local function stem_of(path)
  local folder, name = path:match("([^/]*)/([^/.]*)[^/]*$")
  return name == "init" and folder or name or path:match("^[^.]*")
end

-- The source of a binary's first object, with the facts that it runs.
local function own_of_binary(graph, binary)
  local source = graph.edges[graph.edges[binary].inputs[1]].inputs[1]
  local files, facts = { source }, FACTS[stem_of(source)]
  for _, name in ipairs(facts and assert(fs.list(facts)) or {}) do
    files[#files + 1] = name:find("%.c$") and facts .. "/" .. name or nil
  end
  return files
end

-- The scripts of the tests that a step reads by their names.
local function own_of_script(step)
  local files = {}
  for _, path in ipairs(step.inputs) do
    local is_data = path:find("^tests/specs/") or path:find("^tests/golden/")
    if path:find("^tests/") and not is_data and is_source(path) then files[#files + 1] = path end
  end
  return files
end

-- The test model that a step is about, or nil.
local function model_of(step)
  for word in step.step_command:gmatch("[%w_]+") do
    if fs.exists(("tests/specs/%s.lua"):format(word)) then return word end
  end
end

-- The words of a step's command without the Lua, the folder of a binary and the amount of work.
local function key_of(step)
  return (step.step_command:gsub("^%S*lua%S* ", ""):gsub("^out/[^ ]*/", ""):gsub(" %d+", ""))
end

-- The tests of check-all, each once. Each is the edge of a step: also own, its files, and model.
function M.tests(graph, list)
  local tests, seen = {}, {}
  for stamp in list:gmatch("%f[^\n%z]%l+\t([^\t\n]+)\t") do
    local step = graph.edges[stamp]
    step.is_input = {}
    for _, path in ipairs(step.inputs) do step.is_input[path] = true end
    step.binary, step.model = binary_of(step), model_of(step)
    step.own = step.binary and own_of_binary(graph, step.binary) or own_of_script(step)
    if not seen[key_of(step)] then tests[#tests + 1] = step end
    seen[key_of(step)] = true
  end
  return tests
end

-- -- How specific a test is -----------------------------------------------------------------------------------------

-- The name of what a test file is about.
local function subject_of(path)
  return (stem_of(path):gsub("^test_", ""):gsub("_test$", ""):gsub("^program_", ""):gsub("^kernels_", ""))
end

-- The words by which a test may name what a file defines: functions of C that others can call, and the module of a Lua
-- file.
function M.names_of(path, content)
  local names = {}
  local module = path:match("^generator/(.*)%.lua$")
  if module then names[1] = '"' .. module:gsub("/init$", ""):gsub("/", ".") .. '"' end
  for line in path:find("%.[ch]$") and content:gmatch("[^\n]+") or function() end do
    local name = not line:find("^static") and line:match("^[%a][%w_ %*]-([%a_][%w_]*)%(")
    names[#names + 1] = name or nil
  end
  return names
end

local function names_one(content, names)
  for _, name in ipairs(names) do
    local pattern = name:gsub("%p", "%%%0")
    if content:find(name:find("^%w") and "%f[%w_]" .. pattern .. "%f[^%w_]" or pattern) then return name end
  end
end

-- The mutants of a file by their test, the name of its file or of its model: { [name] = filter or "" }.
local function mutants_of(path)
  local found = {}
  for _, list in ipairs(text_of.LISTS) do
    for _, mutant in ipairs(dofile(("tests/mutants/%s.lua"):format(list))) do
      if mutant.file == path then found[mutant.test[2]] = mutant.test[1] == "criterion" and mutant.test[3] or "" end
    end
  end
  return found
end

-- The text of a test model's spec without comments.
local function fields_of(model)
  return (assert(fs.read(("tests/specs/%s.lua"):format(model))):gsub("%-%-[^\n]*", ""))
end

-- Ways in which a test is about a file, the most specific first: each gives why, and what Criterion is to run of it.
local WAYS = {
  function(file, own)
    if own == file.path then return "it is this test" end
  end,
  function(file, own, test)
    local filter = file.mutants[stem_of(own)] or file.mutants[test.model]
    if filter then return "a mutant of the file must make it fail", filter ~= "" and filter or nil end
  end,
  function(file, own)
    if subject_of(own) == stem_of(file.path) then return own .. " has the name of the file" end
  end,
  function(file, own)
    local name = names_one(fs.read(own), file.names)
    if name then return ("%s names %s"):format(own, name) end
  end,
  function(file, _, test)
    if test.model and fields_of(test.model):find("%f[%w_]" .. stem_of(file.path) .. " =") then
      return "its model has " .. stem_of(file.path)
    end
  end,
}

-- The first way of a test: its number, why, and the filter; nil where it only uses the file.
local function way_of(file, test)
  for number, way in ipairs(WAYS) do
    for _, own in ipairs(test.own) do
      local why, filter = way(file, own, test)
      if why then return number, why, filter end
    end
  end
end

-- How much a test is made of: the objects and archives of its binary; a script, which reads whole folders, is more.
local function breadth_of(graph, test)
  return test.binary and #graph.edges[test.binary].inputs or 1000 + #test.inputs
end

-- The tests of a file, most specific first, each { command, rank, why }; tests that have one reason are given it once.
function M.ranked(graph, tests, path)
  local users = graph:all_users(path)
  local file = { path = path, mutants = mutants_of(path), names = M.names_of(path, assert(fs.read(path))) }
  local found, said = {}, {}
  for order, test in ipairs(tests) do
    if users[test.outputs[1]] then
      local number, why, filter = way_of(file, test)
      if why and said[why] and number ~= 2 then number, why = nil, nil end
      found[#found + 1] = { command = command_of(test, filter), why = why, order = order,
        rank = number or #WAYS + breadth_of(graph, test) }
      said[why or ""] = true
    end
  end
  table.sort(found, function(a, b) return a.rank < b.rank or a.rank == b.rank and a.order < b.order end)
  return found
end

-- -- What is printed ------------------------------------------------------------------------------------------------

-- The lines about a file and its tests.
function M.lines(path, found)
  if #found == 0 then return { path .. ": no test reads or compiles this file" } end
  local lines, users = { path .. ":" }, 0
  for _, test in ipairs(found) do
    users = users + (test.why and 0 or 1)
    if test.why or users <= MOST_USERS then
      lines[#lines + 1] = ("    %s   # %s"):format(test.command, test.why or "uses it")
    end
  end
  if users > MOST_USERS then
    local others = "  and %d more that use it: ninja check-quick runs those of check whose inputs changed"
    lines[#lines + 1] = others:format(users - MOST_USERS)
  end
  return lines
end

-- Why there is nothing to print; given: the file that a variable names, "" for none.
function M.refusal(given)
  local found = given == "" and "which file?" or
    ("FILE=%s is not a file of this folder; give its path from here, as in"):format(given)
  return ("tests-of: %s ninja tests-of runtime/call/call_mask.c, or FILE=... ninja tests-of\n"):format(found)
end

local function main(folder, given, words)
  local files = M.files(given .. "\n" .. words)
  if #files == 0 then
    io.stderr:write(M.refusal(given))
    return false
  end
  local graph = edges_of.read({ "out/kernels.ninja", folder .. "/build.ninja" })
  local tests = M.tests(graph, assert(fs.read(folder .. "/check-all.list")))
  for _, path in ipairs(files) do
    print(table.concat(M.lines(path, M.ranked(graph, tests, path)), "\n"))
  end
  return true
end

if arg and arg[0] and arg[0]:find("tests_of%.lua$") then os.exit(main(compat.unpack(arg)) and 0 or 1) end

return M
