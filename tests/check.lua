-- check.lua: runs the steps of a list that configure wrote, two at a time, and sums up what they counted. A step starts
-- when the one before the last is over: those that may not meet are not neighbours in the list.
-- Says one line for a step that passed; shows the whole output of one that failed. Knows no test.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"

-- How the kinds of tests end: a pattern of the counts, of which the last match is read. The first count is of those
-- that passed, or of all (total).
local COUNTERS = {
  { pattern = "(%d+) models, %d+ checks, (%d+) failed", total = true }, -- tests/plain_kernels.c
  { pattern = "(%d+) checks, (%d+) failed", total = true }, -- tests/program_test.lua
  { pattern = "Passing: (%d+) | Failing: (%d+) | Crashing: (%d+)", crashes = true }, -- Criterion
  { pattern = "(%d+) passed, (%d+) failed" }, -- the scripts of tests/
}

-- Passed and failed counts in a step's output, or nil.
local function read_counts(output)
  for _, counter in ipairs(COUNTERS) do
    local first, failed, crashed
    for a, b, c in output:gmatch(counter.pattern) do first, failed, crashed = a, b, c end
    if first then
      failed = tonumber(failed) + (counter.crashes and tonumber(crashed) or 0)
      return counter.total and math.max(tonumber(first) - failed, 0) or tonumber(first), failed
    end
  end
end

local function print_skips(output)
  for line in output:gmatch("[^\n]+") do
    if line:find("SKIP", 1, true) or line:find("^skipped") then print("       " .. line) end
  end
end

-- Waits for one step; returns how many of its tests passed and failed. Exit code and counts must agree, and a step that
-- counted nothing has not passed.
local function finish_step(name, command, finish)
  local output, code = finish()
  local passed, failed = read_counts(output)
  passed, failed = passed or 0, failed or 0
  if failed == 0 and (code ~= 0 or passed == 0) then failed = 1 end
  if failed == 0 then
    print(("  ok   %s: %d passed"):format(name, passed))
    print_skips(output)
  else
    print(("  FAIL %s: %d passed, %d failed (exit %d): %s"):format(name, passed, failed, code, command))
    print((output:gsub("\n?$", "\n", 1)))
  end
  io.stdout:flush()
  return passed, failed
end

-- The steps of a list: { name, command }; a command of "" is one that cannot be run here.
local function read_steps(list)
  local steps = {}
  for line in (assert(fs.read(list))):gmatch("[^\n]+") do
    local name, command = line:match("^(.-)\t(.*)$")
    steps[#steps + 1] = { name = name, command = command }
  end
  return steps
end

local function start(step)
  if step and step.command ~= "" then step.finish = compat.start(step.command .. " </dev/null") end
end

local function main(list)
  local steps, total_passed, total_failed = read_steps(list), 0, 0
  start(steps[1])
  for i, step in ipairs(steps) do
    start(steps[i + 1])
    if step.finish then
      local passed, failed = finish_step(step.name, step.command, step.finish)
      total_passed, total_failed = total_passed + passed, total_failed + failed
    else
      print("  off  " .. step.name)
    end
  end
  print(("%d passed, %d failed"):format(total_passed, total_failed))
  return total_failed == 0
end

os.exit(main(arg[1]) and 0 or 1)
