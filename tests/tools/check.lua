-- check.lua: runs the test steps of a target by ninja, shows how many are left and about how long they take, and sums
-- up what they counted. Knows no test: which steps a target has is in its list, which stands beside the ninja file.
--
--     lua tests/tools/check.lua FOLDER TARGET     -- FOLDER/build.ninja, FOLDER/TARGET.list
--
-- A line of the list has three parts with tabs between: a word, the step's stamp and its name. The words: `always`
-- steps run whenever they are asked for, `changed` ones where something changed since they passed, and `off` ones
-- cannot run here; their name says why.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

-- What a command without a known duration is taken for, and how often a line of progress is written to a file; seconds.
local UNKNOWN, EVERY = 0.5, 15

local folder, target = arg[1], arg[2]
local NINJA = ("ninja -f %s/build.ninja"):format(folder)
local is_terminal = compat.execute("[ -t 1 ]")

-- -- Steps ----------------------------------------------------------------------------------------------------------

local function read_steps()
  local steps = {}
  for line in assert(fs.read(("%s/%s.list"):format(folder, target))):gmatch("[^\n]+") do
    local when, stamp, name = line:match("^(%l+)\t([^\t]*)\t(.*)$")
    steps[#steps + 1] = { when = when, stamp = stamp, name = name }
    if when == "always" then os.remove(stamp) end
  end
  return steps
end

-- -- Time left ------------------------------------------------------------------------------------------------------

-- What stands at the end of a line of ninja's about a command is its output, or the folder of its outputs.
local function subject(line)
  return line:match("^%[%d+/%d+%] .-(%S+)$")
end

-- Seconds that each output, and each folder of outputs, took when it was last made.
local function read_durations()
  local seconds, file = {}, io.open(folder .. "/.ninja_log")
  if not file then return seconds end
  for line in file:lines() do
    local first, last, output = line:match("^(%d+)\t(%d+)\t%d+\t([^\t]+)\t")
    if first then
      seconds[output] = (last - first) / 1000
      seconds[output:match("^(.*)/") or output] = seconds[output]
    end
  end
  file:close()
  return seconds
end

-- What ninja would do: the seconds of all commands by what was, one after another, and how many there are.
local function plan(seconds)
  local all, count = 0, 0
  for line in compat.capture(NINJA .. " -n " .. target):gmatch("[^\n]+") do
    local path = subject(line)
    if path then all, count = all + (seconds[path] or UNKNOWN), count + 1 end
  end
  return all, count
end

local Progress = {}
Progress.__index = Progress

function Progress.new()
  local seconds = read_durations()
  local all, count = plan(seconds)
  return setmetatable({ seconds = seconds, planned = all, commands = count, done = 0, start = os.time(), told = 0 },
    Progress)
end

-- About how many seconds are left, with `left` commands to go: their usual duration, by how many the machine did at a
-- time so far. Nil where there is too little to go by.
function Progress:estimate(left)
  local elapsed = os.time() - self.start
  if elapsed < 5 or self.done == 0 then return nil end
  local usual = math.max(self.planned - self.done, 0)
  local expected = math.max(self.commands - self.finished, 1)
  return usual * math.min(left / expected, 1) * elapsed / self.done
end

-- Takes a line of ninja's about a command; false where it is none.
function Progress:take(line)
  local finished, total = line:match("^%[(%d+)/(%d+)%] ")
  if not finished then return false end
  self.finished = tonumber(finished)
  self.done = self.done + (self.seconds[subject(line)] or UNKNOWN)
  local left = total - finished
  local estimate = self:estimate(left)
  self:tell(("[%d of %d done%s] "):format(finished, total,
    estimate and left > 0 and (", about %d s left"):format(math.ceil(estimate)) or ""), line:match("%] (.*)$"))
  return true
end

-- A terminal has one line of progress, which the next one replaces; elsewhere a line now and then.
function Progress:tell(words, what)
  if is_terminal then
    io.stdout:write("\r\27[K", (words .. what):sub(1, 100))
  elseif os.time() - self.start >= self.told + EVERY then
    self.told = os.time() - self.start
    print(words)
  end
  io.stdout:flush()
end

-- -- Running --------------------------------------------------------------------------------------------------------

-- The lines that ninja adds where a step failed, which has said so itself.
local function is_noise(line, was_failure)
  return line:find("^FAILED: .*/passed/") or was_failure or line:find("^ninja: build stopped") or
    line:find("^ninja: no work to do") or line:find("^ninja: Entering")
end

local function count_line(totals, line)
  local name, passed = line:match("^  ok   (.*): (%d+) passed$")
  if name then
    totals.passed, totals.seen[name] = totals.passed + passed, true
    return
  end
  local failed
  name, passed, failed = line:match("^  FAIL (.-): (%d+) passed, (%d+) failed %(")
  if name then
    totals.passed, totals.failed, totals.seen[name] = totals.passed + passed, totals.failed + failed, true
  elseif line:find("^FAILED: ") then
    totals.failed = totals.failed + 1
  end
end

-- Runs ninja to its end; what the steps counted, and the names of those that ran.
local function run()
  local progress, totals = Progress.new(), { passed = 0, failed = 0, seen = {} }
  local pipe = assert(io.popen(("NINJA_STATUS='[%%f/%%t] ' %s -k 0 %s 2>&1; echo \" $?\""):format(NINJA, target)))
  local was_failure, code = false, nil
  for line in pipe:lines() do
    code = line:match("^ (%d+)$") or code
    local is_failure = line:find("^FAILED: .*/passed/") ~= nil
    if not code and not progress:take(line) and not is_noise(line, was_failure) then
      count_line(totals, line)
      print((is_terminal and "\r\27[K" or "") .. line)
    end
    was_failure = is_failure
  end
  pipe:close()
  if is_terminal then io.stdout:write("\r\27[K") end
  return totals, tonumber(code)
end

-- Says what became of the steps that did not run: they stand as they were, they cannot run, or what they need is not
-- there.
local function add_others(steps, totals)
  local unchanged = 0
  for _, step in ipairs(steps) do
    if step.when == "off" then
      print("  off  " .. step.name)
    elseif not totals.seen[step.name] and fs.exists(step.stamp) then
      unchanged = unchanged + 1
    elseif not totals.seen[step.name] then
      print(("  FAIL %s: did not run, as something it needs was not made"):format(step.name))
      totals.failed = totals.failed + 1
    end
  end
  if unchanged > 0 then print(("  %d steps passed before, and nothing has changed for them"):format(unchanged)) end
end

local function main()
  local steps = read_steps()
  local totals, code = run()
  add_others(steps, totals)
  if code ~= 0 and totals.failed == 0 then totals.failed = 1 end
  print(("%d passed, %d failed"):format(totals.passed, totals.failed))
  return totals.failed == 0
end

os.exit(main() and 0 or 1)
