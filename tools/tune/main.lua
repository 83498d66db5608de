-- main.lua: `ninja tune`: finds the tuning parameters by which the configured models are fastest on this CPU, and
-- writes them as wisdom. The steps are search.lua's, the libraries candidates.lua's, the times library.lua's and
-- ratio.lua's.
package.path = "tools/?.lua;generator/?.lua;generator/?/init.lua;?.lua;" .. package.path

local Candidates = require "tune.candidates"
local Library = require "tune.library"
local Memory = require "tune.memory"
local compat = require "base.compat"
local fs = require "base.fs"
local fmt = require "base.fmt"
local machine = require "build.machine"
local ratio = require "tune.ratio"
local results = require "tune.results"
local saved = require "build.saved"
local search = require "tune.search"
local spec = require "spec"
local template = require "template"
local tuning = require "plan.tuning"
local wisdom = require "plan.wisdom"

template.folder = "templates/"

local SECONDS, FINAL = 180, 15 -- for a model, and of these for the last comparison

local function say(format, ...)
  io.stdout:write(format:format(...), "\n")
  io.stdout:flush()
end

-- The best set of the build that this CPU runs.
local function best_isa(answers)
  for _, entry in ipairs(answers.isas) do
    if entry.built and entry.runs then return entry.name end
  end
  error("this CPU runs no instruction set of this build", 0)
end

-- The log of how many times as long a call of the first takes, the mean over the calls; which goes first alternates.
local function round_of(a, b)
  return function(i)
    local sum = 0
    for call = 1, #a.calls do
      local first, second = a, b
      if i % 2 == 0 then first, second = b, a end
      local t, u = first:time(call), second:time(call)
      sum = sum + (i % 2 == 0 and math.log(u / t) or math.log(t / u))
    end
    return sum / #a.calls
  end
end

local Tuner = {}
Tuner.__index = Tuner

-- The library with these values, whose results must have the bits of the first.
function Tuner:library(values)
  local path = self.candidates:build(values, self.isa, self.about)
  local library = Library.open(path, self.name, self.first):prepare()
  local found = library:results()
  self.results = self.results or found
  results.check(self.name, search.key(values), library:descriptions(), self.results, found)
  return library
end

-- The library of the best values so far, which is opened once for all that are compared with it.
function Tuner:best_library(values)
  if self.best_key ~= search.key(values) then
    self.best, self.best_key = self:library(values), search.key(values)
  end
  return self.best
end

function Tuner:left()
  return self.ends - os.time()
end

-- Compares two lists of values, with a pinned process. seconds: the most that it takes.
function Tuner:compare(a, b, seconds)
  local first, second = self:best_library(a), self:library(b)
  local ends, release = os.time() + seconds, Library.pin()
  local found = ratio.measure(round_of(first, second), function() return os.time() >= ends end)
  release()
  return found
end

-- The same from memory, if it is there; nil if there is no time for it.
function Tuner:remembered(a, b)
  local from, to = search.key(a), search.key(b)
  local found = self.memory:get(from, to)
  if found then return found end
  if self:left() <= FINAL then return nil end
  found = self:compare(a, b, math.min(10, self:left()))
  self.memory:put(from, to, found)
  return found
end

function Tuner:search()
  return search.run(self.parameters, function(best, candidate, name, value)
    local found = self:remembered(best, candidate)
    if not found then return nil end
    say("%4d s left  %-22s %4d  %.3f times as fast [%.3f, %.3f], %s%s", math.max(0, self:left()), name, value,
      found.ratio, found.low, found.high, found.verdict, found.was_known and " (known)" or "")
    return found.verdict == "faster"
  end)
end

-- A tuner for a model { spec, path }. here: machine.here's.
local function new_tuner(model, configured, here, seconds)
  local name, isa = model.spec.name, best_isa(configured.answers)
  local folder = "out/tune/" .. name
  local self = setmetatable({ name = name, isa = isa, ends = os.time() + seconds,
    candidates = Candidates.new(model, isa, configured.abi, folder) }, Tuner)
  self.about = ("# %s, %s, %s, plan %d, generator %s, %s"):format(name, here.cpu, here.compiler, tuning.REVISION,
    self.candidates:fingerprint(), configured.settings.variables.CFLAGS)
  self.memory = Memory.open(folder .. "/measured.txt", self.about)
  self.first = self:library({})
  self.isa = self.first.isa -- the variant that this CPU takes
  self.parameters = self.candidates:parameters(self.isa)
  return self
end

-- The entry of wisdom for the best values: without any where they do not gain beyond the noise.
local function entry_of(tuner, model, here, best)
  local found = { ratio = 1, low = 1, high = 1 }
  if next(best) then found = tuner:compare({}, best, FINAL) end
  local gains = found.low > 1
  return { cpu = here.cpu, l1d = here.l1d, l2 = here.l2, compiler = here.compiler, plan = tostring(tuning.REVISION),
    isa = tuner.isa, spec = wisdom.spec_key(model.spec), gain = gains and found.ratio or 1,
    values = gains and best or {} }, found
end

local function tune(model, configured, here, seconds)
  local tuner = new_tuner(model, configured, here, seconds)
  say("%s, %s, %s, %s: %d parameters, calls %s", tuner.name, tuner.isa, here.cpu, here.compiler, #tuner.parameters,
    table.concat(tuner.first:descriptions(), "; "))
  local best, is_done = tuner:search()
  local entry, found = entry_of(tuner, model, here, best)
  local path = ("out/wisdom/%s.txt"):format(tuner.name)
  assert(fs.write_all("out/wisdom", { { tuner.name .. ".txt", wisdom.text({ entry }) } }))
  say("%s: %.3f times as fast as by the cost model [%.3f, %.3f]: %s", tuner.name, found.ratio, found.low, found.high,
    next(entry.values) and search.key(entry.values) or "no parameter gains beyond the noise")
  say("wrote %s; ./configure --wisdom %s takes it%s", path, fmt.sh_quote(path),
    is_done and "" or "; the time is over: run ninja tune again to go on")
end

local function main(seconds)
  local configured = assert(saved.read())
  if configured.answers.is_cross then error("ninja tune measures this machine, and this build is for another", 0) end
  local declared, code = compat.capture(configured.settings.variables.LUA .. " bindings/luajit/declarations.lua ffi")
  if code ~= 0 then error(declared, 0) end
  Library.declare(declared)
  local here = machine.here(configured.settings.variables.CC)
  for i = 1, configured.configured do
    local path = configured.products[i]
    tune({ spec = assert(spec.read(path)), path = path }, configured, here, seconds)
  end
end

local given = arg[1] or ""
local seconds = given == "" and SECONDS or tonumber(given)
if not seconds or not (seconds >= 1 and seconds <= 1e6) then
  io.stderr:write(("tune: TUNE_SECONDS is '%s'; expected a number of seconds from 1 to 1000000\n"):format(given))
  os.exit(2)
end
local ok, why = xpcall(main, function(why) return type(why) == "string" and why or debug.traceback(why) end, seconds)
if not ok then
  io.stderr:write("tune: ", why, "\n")
  os.exit(1)
end
