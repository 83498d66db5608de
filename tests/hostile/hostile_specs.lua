-- hostile_specs.lua: the property of the spec reader and the generator: whatever a spec says, it is refused in words or
-- becomes C that compiles, in bounded steps and memory. Makes specs from a seed (hostile.lua) and sums up:
--
--     lua hostile_specs.lua COUNT [GENERATED [COMPILED [SEED [CC]]]]
--
-- COUNT specs are read; GENERATED of those taken become C; COMPILED of these are compiled, with every warning an error.
-- What fails is left in out/hostile, one file each.
local checks = dofile("tests/hostile/spec_checks.lua")
local hostile = dofile("tests/hostile/hostile.lua")
local emit = require "emit"
local fs = require "base.fs"
local isa = require "isa"
local spec = require "spec"

local FOLDER = "out/hostile"

local count, seed = assert(tonumber(arg[1]), "usage: hostile_specs.lua COUNT ..."), tonumber(arg[4] or 1)
local budget = { generated = tonumber(arg[2] or 0), compiled = tonumber(arg[3] or 0) }
local cc = arg[5] or "cc"
local sets = checks.sets_of(cc)
local sums = { read = 0, refused = 0, taken = 0, generated = 0, compiled = 0 }
local failures = {}

local function fail(what, text, why)
  failures[#failures + 1] = what
  local path = ("%s/failed_%d.lua"):format(FOLDER, #failures)
  assert(fs.write_if_changed(path, text) ~= nil)
  print(("FAIL %s: %s\n%s"):format(path, what, why))
end

-- -- What is taken ----------------------------------------------------------------------------------------------------

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
  local set = isa.get(sets[budget.compiled > 100 and random(#sets) or #sets])
  local files = emit.files(s, { set.name })
  return checks.bad_plan(s) or checks.bad_files(files), files, set
end

-- -- One spec ---------------------------------------------------------------------------------------------------------

local function judge(text, s, errors, random)
  sums.read = sums.read + 1
  if not s then
    sums.refused = sums.refused + 1
    local why = checks.bad_messages(errors)
    if why then fail("a refusal", text, why) end
    return
  end
  sums.taken = sums.taken + 1
  local files, set
  local ok, why = checks.limited(function()
    local bad
    bad, files, set = bad_taken(s, random)
    return bad
  end)
  if not ok or why then return fail("a spec that was taken", text, why) end
  if files and sums.compiled < budget.compiled then
    sums.compiled = sums.compiled + 1
    why = checks.bad_compilation(FOLDER, files, set, cc)
    if why then fail("C that does not compile", text, why) end
  end
end

local function try_text(text, random)
  local ok, s, errors = checks.limited(spec.from_text, text, "it")
  if not ok then return fail("an error while it was read", text, s) end
  judge(text, s, errors, random)
end

local function try_table(fields, random)
  local ok, s, errors = checks.limited(spec.from_fields, fields, "it")
  if not ok then return fail("an error while a table was read", "", s) end
  judge("", s, errors, random)
end

local random = hostile.numbers(seed)
checks.make_include(FOLDER)
for _, text in ipairs(hostile.files()) do try_text(text, random) end
for _, fields in ipairs(hostile.tables()) do try_table(fields, random) end
while sums.read < count do try_text(hostile.text(random), random) end
local SUMS = "seed %d: %d specs read, %d refused, %d taken, %d made into C, %d compiled; at most %.0f million steps"
print(SUMS:format(seed, sums.read, sums.refused, sums.taken, sums.generated, sums.compiled, checks.most_steps / 1e6))
print(("%d passed, %d failed"):format(sums.read - #failures, #failures))
os.exit(#failures == 0)
