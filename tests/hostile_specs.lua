-- hostile_specs.lua: the property of the spec reader and the generator: whatever a spec says, it is refused in words or
-- becomes C that compiles, within a second and bounded memory. Makes specs from a seed (hostile.lua) and sums up:
--
--     lua hostile_specs.lua COUNT [GENERATED [COMPILED [SEED [CC]]]]
--
-- COUNT specs are read; GENERATED of those taken become C; COMPILED of these are compiled, with every warning an error.
-- What fails is left in out/hostile, one file each.
local hostile = dofile("tests/hostile.lua")
local compat = require "base.compat"
local emit = require "emit"
local fmt = require "base.fmt"
local fs = require "base.fs"
local isa = require "isa"
local plan_of = { layer = require "plan", stack = require "plan.stack", transformer = require "plan.transformer" }
local spec = require "spec"

local FOLDER = "out/hostile"
local MOST_SECONDS, MOST_KBYTES = 1, 256 * 1024
local MOST_TEXT = 16 * 2 ^ 20 -- bytes of C that one spec becomes, for all instruction sets
local MOST_MESSAGE = 1500
local WARNINGS = "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror"

local count, seed = assert(tonumber(arg[1]), "usage: hostile_specs.lua COUNT ..."), tonumber(arg[4] or 1)
local budget = { generated = tonumber(arg[2] or 0), compiled = tonumber(arg[3] or 0) }
local cc = arg[5] or "cc"
local sums = { read = 0, refused = 0, taken = 0, generated = 0, compiled = 0 }
local failures, slowest = {}, 0

-- LuaJIT calls hooks between the instructions that it interprets, and in none that it compiled.
local is_jit, jit = pcall(require, "jit")
if is_jit then jit.off() end

-- -- Limits -----------------------------------------------------------------------------------------------------------

-- Calls f and lets it run for a second and some memory; what pcall returns, with a traceback.
local function limited(f, ...)
  local start = os.clock()
  debug.sethook(function()
    if os.clock() - start > MOST_SECONDS then error("takes longer than a second", 0) end
    if collectgarbage("count") > MOST_KBYTES then error("takes more memory than 256 MiB", 0) end
  end, "", 100000)
  local arguments = { ... }
  local ok, first, second = xpcall(function() return f(compat.unpack(arguments)) end, debug.traceback)
  debug.sethook()
  slowest = math.max(slowest, os.clock() - start)
  return ok, first, second
end

local function fail(what, text, why)
  failures[#failures + 1] = what
  local path = ("%s/failed_%d.lua"):format(FOLDER, #failures)
  assert(fs.write_if_changed(path, text) ~= nil)
  print(("FAIL %s: %s\n%s"):format(path, what, why))
end

-- -- What is refused --------------------------------------------------------------------------------------------------

-- What is wrong with the messages of a refusal, or nil.
local function bad_messages(errors)
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

local function bad_plan(s)
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

local function bad_files(files)
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

-- Compiles what a spec became for one instruction set; what the compiler said, or nil where it was content.
local function bad_compilation(files, set)
  local folder = FOLDER .. "/gen"
  write_files(folder, files)
  local command = ("cd %s && %s -std=c11 -ffp-contract=off -fsyntax-only %s %s -I ../../../runtime " ..
    "-I ../../../program -I ../include *.c"):format(folder, cc, WARNINGS, table.concat(set.cflags, " "))
  local said, code = compat.capture(command)
  return (code ~= 0 or said ~= "") and said:sub(1, 2000) or nil
end

-- Whether it shall become C: where few do, those into which names of the spec's own go before others.
local function is_wanted(s, random)
  if sums.generated >= budget.generated then return false end
  local is_named = s.default_map == "custom" or s.weights_prefix
  return budget.generated > 100 or is_named or random(8) == 1
end

-- What of a spec that was taken is wrong, or nil. random chooses the instruction set that is compiled for.
local function bad_taken(s, random)
  local written = spec.text(s)
  local again, errors = spec.from_text(written, "its text")
  if not again then return "its own text is refused: " .. table.concat(errors, "; ") end
  if spec.text(again) ~= written then return "its own text reads as another spec" end
  if not is_wanted(s, random) then return nil end
  sums.generated = sums.generated + 1
  local set = isa.get(isa.names()[budget.compiled > 100 and random(#isa.names()) or #isa.names()])
  local files = emit.files(s, { set.name })
  return bad_plan(s) or bad_files(files), files, set
end

-- -- One spec ---------------------------------------------------------------------------------------------------------

local function judge(text, s, errors, random)
  sums.read = sums.read + 1
  if not s then
    sums.refused = sums.refused + 1
    local why = bad_messages(errors)
    if why then fail("a refusal", text, why) end
    return
  end
  sums.taken = sums.taken + 1
  local files, set
  local ok, why = limited(function()
    local bad
    bad, files, set = bad_taken(s, random)
    return bad
  end)
  if not ok or why then return fail("a spec that was taken", text, why) end
  if files and sums.compiled < budget.compiled then
    sums.compiled = sums.compiled + 1
    why = bad_compilation(files, set)
    if why then fail("C that does not compile", text, why) end
  end
end

local function try_text(text, random)
  local ok, s, errors = limited(spec.from_text, text, "it")
  if not ok then return fail("an error while it was read", text, s) end
  judge(text, s, errors, random)
end

local function try_table(fields, random)
  local ok, s, errors = limited(spec.from_fields, fields, "it")
  if not ok then return fail("an error while a table was read", "", s) end
  judge("", s, errors, random)
end

-- A folder of include files as the build makes one.
local function make_include()
  assert(compat.execute(("mkdir -p %s/include && ln -sfn ../../../runtime %s/include/genattn"):format(FOLDER, FOLDER)))
end

local random = hostile.numbers(seed)
make_include()
for _, text in ipairs(hostile.files()) do try_text(text, random) end
for _, fields in ipairs(hostile.tables()) do try_table(fields, random) end
while sums.read < count do try_text(hostile.text(random), random) end
print(("seed %d: %d specs read, %d refused, %d taken, %d made into C, %d compiled; the slowest took %.2f s"):format(
  seed, sums.read, sums.refused, sums.taken, sums.generated, sums.compiled, slowest))
print(("%d passed, %d failed"):format(sums.read - #failures, #failures))
os.exit(#failures == 0)
