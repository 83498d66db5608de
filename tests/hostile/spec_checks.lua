-- spec_checks.lua: what holds of every spec, as functions that say what is wrong with one: a refusal is in words; what
-- is taken becomes plain C of exact sizes, in bounded steps and memory, that compiles with all warnings errors.
-- Makes no spec and counts nothing; hostile_specs.lua and small_specs.lua do.
package.path = "generator/?.lua;generator/?/init.lua;" .. package.path
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"
local isa = require "isa"
local traceback = require("base.text").traceback
local plan_of = { layer = require "plan", stack = require "plan.stack", transformer = require "plan.transformer" }

local checks = { most_steps = 0 } -- of Lua, that one spec took

-- Steps of Lua are counted, as seconds also say what else the machine does; a slow one has so many in a second or two.
local BATCH, MOST_STEPS = 100000, 100e6
local MOST_KBYTES = 256 * 1024
local MOST_TEXT = 16 * 2 ^ 20 -- bytes of C that one spec becomes, for all instruction sets
local MOST_MESSAGE = 1500
local WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes"

-- LuaJIT calls hooks between the instructions that it interprets, and in none that it compiled.
local is_jit, jit = pcall(require, "jit")
if is_jit then jit.off() end

-- -- Limits -----------------------------------------------------------------------------------------------------------

-- Calls f and lets it take so many steps and so much memory; what pcall returns, with a traceback.
function checks.limited(f, ...)
  local steps = 0
  debug.sethook(function()
    steps = steps + BATCH
    if steps > MOST_STEPS then error("takes more steps than a second has", 0) end
    if collectgarbage("count") > MOST_KBYTES then error("takes more memory than 256 MiB", 0) end
  end, "", BATCH)
  local arguments = { ... }
  local ok, first, second = xpcall(function() return f(compat.unpack(arguments)) end, traceback)
  debug.sethook()
  checks.most_steps = math.max(checks.most_steps, steps)
  return ok, first, second
end

-- -- What is refused --------------------------------------------------------------------------------------------------

-- What is wrong with the messages of a refusal, or nil.
function checks.bad_messages(errors)
  if type(errors) ~= "table" or #errors == 0 then return "no message" end
  if #errors > 100 then return #errors .. " messages" end
  for _, message in ipairs(errors) do
    if type(message) ~= "string" or #message < 10 then return "a message that says nothing: " .. tostring(message) end
    if #message > MOST_MESSAGE then return ("a message of %d bytes: %s"):format(#message, message:sub(1, 200)) end
    if message:find("%c") then return "a message with a control character: " .. fmt.comment(message) end
    if message:find("%.lua:%d+:") then return "a message from within the generator: " .. message end
  end
end

-- -- What is taken ----------------------------------------------------------------------------------------------------

-- What is wrong with a number of a plan, or with one inside it: sizes are whole and exact.
local function bad_number(value, path, seen)
  if type(value) == "number" and (value ~= value or math.abs(value) > 2 ^ 51) then
    return ("%s is %s"):format(path, tostring(value))
  elseif type(value) == "table" and not seen[value] then
    seen[value] = true
    for key, inner in pairs(value) do
      local is_size = key ~= "fill" and key ~= "spec" and key ~= "isa" -- the spec's own numbers are of any size
      local why = is_size and bad_number(inner, path .. "." .. tostring(key), seen)
      if why then return why end
    end
  end
end

function checks.bad_plan(s)
  local api = plan_of[s.kind] or s.stack and plan_of.stack or plan_of.layer
  for _, name in ipairs(isa.names()) do
    local why = bad_number(api.make(s, isa.get(name)), "plan", {})
    if why then return why end
  end
end

-- What is wrong with the text of a generated file, or nil: plain ASCII without trigraphs, no line joined to the next.
local function bad_text(text)
  local byte = text:match("[^\n\32-\126]")
  if byte then return ("byte %d"):format(byte:byte()) end
  if text:find("%?%?[=/'()!<>-]") then return "a trigraph" end
  for line in text:gmatch("[^\n]*//[^\n]*") do
    if line:find("\\$") then return "a comment that goes on: " .. line end
  end
end

function checks.bad_files(files)
  local bytes, seen = 0, {}
  for _, file in ipairs(files) do
    local why = bad_text(file.text)
    if why then return ("%s has %s"):format(file.path, why) end
    if not file.path:find("^[a-z][a-z0-9_]*%.[ch]$") or seen[file.path] then return "a file called " .. file.path end
    bytes, seen[file.path] = bytes + #file.text, true
  end
  return bytes > MOST_TEXT and bytes .. " bytes of C" or nil
end

local function write_files(folder, files)
  local list = {}
  for i, file in ipairs(files) do list[i] = { file.path, file.text } end
  assert(compat.execute("rm -rf " .. folder))
  assert(fs.write_all(folder, list))
end

-- A folder of include files as the build makes one.
function checks.make_include(folder)
  local words = "mkdir -p %s/include && ln -sfn ../../../runtime/include/genattn %s/include/genattn"
  assert(compat.execute(words:format(folder, folder)))
end

-- The instruction sets whose code a compiler can make, best first.
function checks.sets_of(cc)
  local machine, names = compat.capture(cc .. " -dumpmachine"), {}
  for _, name in ipairs(isa.names()) do
    if isa.is_of(isa.get(name), machine) then names[#names + 1] = name end
  end
  return names
end

-- -I for each folder of the runtime and the program that rules.ninja names, from a folder of out/ that holds gen/.
local function include_flags()
  local flags = {}
  for folder in assert(fs.read("rules.ninja")):gmatch("%-I (%l+/%S+)") do
    if folder:find("^runtime/") or folder:find("^program/") then flags[#flags + 1] = "-I ../../../" .. folder end
  end
  return table.concat(flags, " ")
end

-- Compiles what a spec became for one instruction set in a folder of out/ that make_include was given; what the
-- compiler said, or nil where it was content. is_whole: to the end, where optimizers warn too, not the syntax alone.
function checks.bad_compilation(folder, files, set, cc, is_whole)
  write_files(folder .. "/gen", files)
  local command = ("cd %s/gen && %s -std=c11 -ffp-contract=off %s %s %s %s -I ../include *.c"):format(folder, cc,
    is_whole and "-O2 -S" or "-fsyntax-only", WARNINGS, table.concat(set.cflags, " "), include_flags())
  local said, code = compat.capture(command)
  return (code ~= 0 or said ~= "") and said:sub(1, 2000) or nil
end

return checks
