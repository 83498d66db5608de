-- step.lua: runs one test step, reads what it counted, and says so in one line; a step that failed is shown whole.
-- A step that passed leaves a stamp, by which ninja knows that nothing has changed since. Knows no test.
--
--     lua tests/tools/step.lua STAMP NAME COMMAND     -- COMMAND is one word, which sh reads
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"

-- How the kinds of tests end: a pattern of the counts, of which the last match is read. The first count is of those
-- that passed, or of all (total).
local COUNTERS = {
  { pattern = "(%d+) checks, (%d+) failed", total = true }, -- the kernels' facts, tests/program/program_test.lua
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

-- Other steps write into the same folder at the same time, so that nothing here looks at what else is in it.
local function write_stamp(path, text)
  local file = assert(io.open(path .. ".new", "wb"))
  assert(file:write(text))
  assert(file:close())
  assert(os.rename(path .. ".new", path))
end

-- Exit code and counts must agree, and a step that counted nothing has not passed.
local function main(stamp, name, command)
  os.remove(stamp)
  local output, code = compat.capture(command .. " </dev/null")
  local passed, failed = read_counts(output)
  passed, failed = passed or 0, failed or 0
  if failed == 0 and (code ~= 0 or passed == 0) then failed = 1 end
  if failed > 0 then
    print(("  FAIL %s: %d passed, %d failed (exit %d): %s"):format(name, passed, failed, code, command))
    print((output:gsub("\n?$", "\n", 1)))
    return false
  end
  print(("  ok   %s: %d passed"):format(name, passed))
  print_skips(output)
  write_stamp(stamp, output)
  return true
end

os.exit(main(arg[1], arg[2], arg[3]) and 0 or 1)
