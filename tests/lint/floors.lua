-- floors.lua: checks that every Lua module and C file leans only on floors below its own or on its own group, and that
-- some words stay out of some floors. The tables are the architecture; nothing else here is.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

-- First match decides. A file may use its own group and every lower floor.
local FLOORS = {
  { pattern = "^generator/base/", floor = 0, group = "base" },
  { pattern = "^generator/template%.lua$", floor = 2, group = "template" },
  { pattern = "^generator/ninja%.lua$", floor = 2, group = "ninja" },
  { pattern = "^generator/isa/", floor = 1, group = "isa" },
  { pattern = "^generator/formats/", floor = 1, group = "formats" },
  { pattern = "^generator/schema/", floor = 2, group = "schema" },
  { pattern = "^generator/spec/", floor = 3, group = "spec" },
  { pattern = "^generator/attention/", floor = 3, group = "spec" },
  { pattern = "^generator/ops/", floor = 3, group = "spec" },
  { pattern = "^generator/import/maps/", floor = 3, group = "spec" },
  { pattern = "^generator/import/", floor = 6, group = "build" },
  { pattern = "^generator/plan/", floor = 4, group = "plan" },
  { pattern = "^generator/emit/", floor = 5, group = "emit" },
  { pattern = "^generator/build/", floor = 6, group = "build" },
  { pattern = "^generator/configure", floor = 6, group = "build" },
  { pattern = "^generator/main%.lua$", floor = 6, group = "main" },
  { pattern = "^runtime/base/", floor = 1, group = "base" },
  { pattern = "^runtime/include/genattn/arena%.", floor = 1, group = "base" },
  { pattern = "^runtime/include/genattn/cpu%.", floor = 1, group = "base" },
  { pattern = "^runtime/include/genattn/fault%.", floor = 1, group = "base" },
  { pattern = "^runtime/include/genattn/status%.", floor = 1, group = "base" },
  { pattern = "^runtime/include/genattn/tensor%.", floor = 1, group = "base" },
  { pattern = "^runtime/model/", floor = 3, group = "model" },
  { pattern = "^runtime/packing/", floor = 3, group = "model" },
  { pattern = "^runtime/call/", floor = 3, group = "model" },
  { pattern = "^runtime/cache/", floor = 3, group = "model" },
  { pattern = "^runtime/include/genattn/batches%.", floor = 3, group = "model" },
  { pattern = "^runtime/include/genattn/facts%.", floor = 3, group = "model" },
  { pattern = "^runtime/include/genattn/gather%.", floor = 3, group = "model" },
  { pattern = "^runtime/include/genattn/model%.", floor = 3, group = "model" },
  { pattern = "^runtime/include/genattn/watch%.", floor = 3, group = "model" },
  { pattern = "^runtime/threads/", floor = 4, group = "threads" },
  { pattern = "^runtime/include/genattn/threads%.", floor = 4, group = "threads" },
  { pattern = "^runtime/weights/", floor = 4, group = "weights" },
  { pattern = "^runtime/include/genattn/load%.", floor = 4, group = "weights" },
  { pattern = "^runtime/include/genattn/weights%.", floor = 4, group = "weights" },
  { pattern = "^runtime/packed/", floor = 4, group = "packed" },
  { pattern = "^runtime/include/genattn/pack_file%.", floor = 4, group = "packed" },
  { pattern = "^text/program/", floor = 6, group = "text_program" },
  { pattern = "^text/", floor = 4, group = "text" },
  { pattern = "^program/", floor = 5, group = "program" },
  { pattern = "^bindings/", floor = 6, group = "bindings" },
  { pattern = "^bench/", floor = 6, group = "bench" },
  { pattern = "^examples/", floor = 6, group = "examples" },
  { pattern = "^demo/", floor = 6, group = "demo" },
  { pattern = "^tests/", floor = 7, group = "tests" },
}

-- Words that would show knowledge a floor must not have.
local FORBIDDEN = {
  { pattern = "^generator/plan/", word = "_mm%d*_", why = "plan spells no intrinsic" },
  { pattern = "^generator/emit/", word = 'require "plan"', why = "emit makes no plan" },
  { pattern = "^generator/emit/", word = 'require "plan%.stack"', why = "emit makes no plan" },
  { pattern = "^generator/emit/", word = 'require "isa"', why = "emit takes instruction sets from plans" },
  { pattern = "^generator/emit/", word = 'require "import', why = "emit takes names of tensors from plans" },
  { pattern = "^generator/isa/", word = "attention", why = "isa knows nothing of attention" },
  { pattern = "^generator/formats/", word = "d_model", why = "formats know nothing of models" },
  { pattern = "^generator/isa/", word = "d_model", why = "isa knows nothing of models" },
  { pattern = "^generator/template%.lua$", word = "d_model", why = "template knows nothing of models" },
  { pattern = "^generator/ninja%.lua$", word = "d_model", why = "ninja knows nothing of models" },
}

-- Lua modules of the system, not of this tree.
local OUTSIDE = { argparse = true, dkjson = true }

local failures = 0

local function fail(path, message, ...)
  failures = failures + 1
  print(path .. ": " .. message:format(...))
end

local function place(path)
  for _, row in ipairs(FLOORS) do
    if path:find(row.pattern) then return row end
  end
end

local function check_use(path, used)
  local own, other = place(path), place(used)
  if not own then return fail(path, "stands on no floor; add it to tests/lint/floors.lua") end
  if not other then return fail(path, "uses %s, which stands on no floor", used) end
  if own.group ~= other.group and other.floor >= own.floor then
    fail(path, "(floor %d, %s) uses %s (floor %d, %s)", own.floor, own.group, used, other.floor, other.group)
  end
end

local function module_path(name)
  local path = (name:find("^tests%.") and "" or "generator/") .. name:gsub("%.", "/")
  return fs.exists(path .. ".lua") and path .. ".lua" or path .. "/init.lua"
end

local function check_lua(path, content)
  for name in content:gmatch("require%s*%(?%s*[\"']([%w_.]+)[\"']") do
    if not OUTSIDE[name] then check_use(path, module_path(name)) end
  end
end

-- The folders of rules.ninja's -I, and that of the tests.
local function include_folders()
  local folders = { "tests/" }
  for folder in assert(fs.read("rules.ninja")):gmatch("%-I (%S+)") do
    if not folder:find("^out/") then folders[#folders + 1] = folder .. "/" end
  end
  return folders
end

local INCLUDE_FOLDERS = include_folders()

-- The file an #include "..." means: beside the including file, or in one of the folders of -I.
local function included_path(path, name)
  local beside = path:match("^(.*/)") .. name
  while beside:find("[^/]+/%.%./") do beside = beside:gsub("[^/]+/%.%./", "", 1) end
  if fs.exists(beside) then return beside end
  for _, folder in ipairs(INCLUDE_FOLDERS) do
    if fs.exists(folder .. name) then return folder .. name end
  end
end

local function check_c(path, content)
  for name in content:gmatch('#include "([^"]+)"') do
    local used = included_path(path, name)
    if used then
      check_use(path, used)
    elseif not place(path) or place(path).floor < place("demo/").floor then
      fail(path, "includes %s, which no hand-written folder holds", name)
    end
  end
end

-- Comments may say what the code must not.
local function check_words(path, content)
  content = content:gsub("%-%-[^\n]*", "")
  for _, row in ipairs(FORBIDDEN) do
    if path:find(row.pattern) and content:find(row.word) then fail(path, "has '%s': %s", row.word, row.why) end
  end
end

local function each_source(kind, wanted, check)
  for path in compat.capture("sh tests/lint/sources.sh " .. kind):gmatch("[^\n]+") do
    path = path:gsub("^%./", "")
    if path:find(wanted) then
      local content = assert(fs.read(path))
      check(path, content)
      check_words(path, content)
    end
  end
end

each_source("lua", "^generator/", check_lua)
each_source("lua", "^tests/build/", check_lua)
each_source("c", "", check_c)
os.exit(failures == 0)
