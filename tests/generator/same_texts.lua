-- same_texts.lua: emits many specs in one process of each Lua and compares all bytes: lua same_texts.lua LUAS SPEC...
-- LUAS is a list joined by commas. It takes a third of the time of same_bytes.lua, which compares what the generator's
-- own process writes, and which says where files differ.
package.path = "generator/?.lua;generator/?/init.lua;?.lua;" .. package.path

local compat = require "base.compat"
local emit = require "emit"
local fmt = require "base.fmt"
local fs = require "base.fs"
local isa = require "isa"
local roles = require "tests.build.roles"
local spec = require "spec"

local FOLDER = "out/same_texts"
local AT_ONCE = 20 -- specs whose text is on disk

-- The instruction sets for which a spec is emitted: all where it has text of templates that no other has; else two, as
-- what is other then is numbers.
local function sets_of(path)
  local is_test, name = path:find("^tests/specs/"), path:match("([^/]*)%.lua$")
  return is_test and roles.every_line[name] and isa.names() or { "avx512", "scalar" }
end

-- The files of the spec at a path as one text.
local function text_of(path)
  local s, errors = spec.read(path)
  if not s then error(table.concat(errors, "\n"), 0) end
  s.path = path
  local texts = {}
  for i, file in ipairs(emit.files(s, sets_of(path))) do texts[i] = file.path .. "\n" .. file.text end
  return table.concat(texts)
end

local function file_of(path)
  return (path:gsub("/", "_"))
end

-- What a process does with specs: the first writes their texts, and each further one prints those that it has not.
local DO = {
  write = function(paths)
    local list = {}
    for i, path in ipairs(paths) do list[i] = { file_of(path), text_of(path) } end
    assert(fs.write_all(FOLDER, list))
  end,
  compare = function(paths)
    for _, path in ipairs(paths) do
      if text_of(path) ~= fs.read(FOLDER .. "/" .. file_of(path)) then print("differs: " .. path) end
    end
  end,
}

-- Has a Lua do that with specs; what it says, nil where it fails.
local function process(lua, what, paths)
  local quoted = {}
  for i, path in ipairs(paths) do quoted[i] = fmt.sh_quote(path) end
  local output, code = compat.capture(("%s tests/generator/same_texts.lua --%s %s"):format(lua, what,
    table.concat(quoted, " ")))
  io.stdout:write(output)
  return code == 0 and output or nil
end

-- How many of these specs have not the same text from all Luas.
local function differing(luas, paths)
  compat.capture("rm -rf " .. FOLDER)
  if not process(luas[1], "write", paths) then return #paths end
  local failed = {}
  for i = 2, #luas do
    local output = process(luas[i], "compare", paths)
    if not output then return #paths end
    for path in output:gmatch("differs: ([^\n]*)") do failed[#failed + 1] = path end
  end
  return math.min(#failed, #paths)
end

local function main(lua_list, ...)
  local luas, paths, failed = {}, { ... }, 0
  for lua in lua_list:gmatch("[^,]+") do luas[#luas + 1] = lua end
  for first = 1, #paths, AT_ONCE do
    failed = failed + differing(luas, { compat.unpack(paths, first, math.min(first + AT_ONCE - 1, #paths)) })
  end
  compat.capture("rm -rf " .. FOLDER)
  print(("%d passed, %d failed"):format(#paths - failed, failed))
  return failed == 0
end

local what = DO[arg[1]:match("^%-%-(%l+)$")]
if what then
  what({ compat.unpack(arg, 2) })
else
  os.exit(main(compat.unpack(arg)) and 0 or 1)
end
