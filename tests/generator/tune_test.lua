-- tune_test.lua: the parts of `ninja tune` that measure nothing: the order of its steps, when a comparison ends, what
-- it remembers, and how files of wisdom are merged from the command line. No clock, no compiler.
local fact = dofile("tests/generator/fact.lua")
local Memory = require "tools.tune.memory"
local compat = require "base.compat"
local fs = require "base.fs"
local ratio = require "tools.tune.ratio"
local results = require "tools.tune.results"
local search = require "tools.tune.search"

-- -- Search -----------------------------------------------------------------------------------------------------------

local PARAMETERS = {
  { name = "block.rows", model = 128, candidates = { 64, 128 } },
  { name = "group.rows", model = 256, candidates = { 64, 128, 256 } },
  { name = "out.prefetch", model = 1, candidates = { 0, 1, 2 } },
  { name = "out.rows", model = 12, candidates = { 6, 9, 10, 11, 12 } },
}

-- A comparison by a formula of the values: the candidate is faster if its cost is less.
local function by_cost(cost, log)
  return function(best, candidate, name, value)
    if log then log[#log + 1] = name .. "=" .. value end
    return cost(candidate) < cost(best)
  end
end

-- Least at rows 10 with prefetch 2, and only then at groups of 64.
local function cost(values)
  local rows, prefetch, group = values["out.rows"] or 12, values["out.prefetch"] or 1, values["group.rows"] or 256
  return (rows - 10) ^ 2 + (2 - prefetch) + (rows == 10 and group or -group) / 1000
end

fact.holds("it finds the best of each parameter, and passes over all again until nothing changes", function()
  local best, is_done = search.run(PARAMETERS, by_cost(cost))
  fact.equal(search.key(best), "group.rows=64 out.prefetch=2 out.rows=10")
  fact.equal(is_done, true)
end)

fact.holds("it tries rows of blocks, then of tiles, the nearest candidates first, each against the best", function()
  local log = {}
  search.run(PARAMETERS, by_cost(function() return 1 end, log))
  fact.lists_equal(log, { "block.rows=64", "out.rows=11", "out.rows=10", "out.rows=9", "out.rows=6", "out.prefetch=0",
    "out.prefetch=2", "group.rows=128", "group.rows=64" })
end)

fact.holds("values of the cost model are left out", function()
  local best = search.run(PARAMETERS, by_cost(function() return 1 end))
  fact.equal(search.key(best), "")
end)

fact.holds("it ends when there is no time, and with a memory goes on to the same end", function()
  local known, asked = {}, 0
  local function remembering(most)
    return function(best, candidate)
      local key = search.key(best) .. "|" .. search.key(candidate)
      if known[key] == nil then
        asked = asked + 1
        if asked > most then return nil end
        known[key] = cost(candidate) < cost(best)
      end
      return known[key]
    end
  end
  local _, is_done = search.run(PARAMETERS, remembering(4))
  fact.equal(is_done, false)
  local best
  best, is_done = search.run(PARAMETERS, remembering(1000))
  fact.equal(is_done, true)
  fact.equal(search.key(best), search.key((search.run(PARAMETERS, by_cost(cost)))))
end)

-- -- Ratios -----------------------------------------------------------------------------------------------------------

-- Rounds whose logs lie about a value with a noise of this width, the same each time; one in ten is disturbed.
local function noisy(middle, width)
  local state = 1
  local function random()
    state = state * 16807 % 2147483647
    return state / 2147483647
  end
  return function()
    local disturbed = random() < 0.1 and 2 * random() - 1 or 0
    return middle + width * (random() - 0.5) + disturbed
  end
end

local function never() return false end

local function verdict(middle, width)
  return ratio.measure(noisy(middle, width), never).verdict
end

fact.holds("a difference beyond the noise is found, one within half a percent is none", function()
  fact.equal(verdict(math.log(1.05), 0.02), "faster")
  fact.equal(verdict(math.log(0.95), 0.02), "slower")
  fact.equal(verdict(math.log(1.001), 0.004), "same")
  fact.equal(verdict(0, 0.004), "same")
end)

fact.holds("more noise takes more rounds, and noise that hides the difference gives no answer", function()
  local quiet = ratio.measure(noisy(math.log(1.05), 0.01), never)
  local loud = ratio.measure(noisy(math.log(1.05), 0.2), never)
  fact.equal(loud.verdict, "faster")
  assert(loud.rounds > quiet.rounds)
  fact.equal(verdict(math.log(1.006), 1), "unclear")
end)

fact.holds("it ends when the time is over", function()
  local found = ratio.measure(noisy(math.log(1.006), 1), function() return true end)
  fact.equal(found.verdict .. " " .. found.rounds, "unclear 8")
end)

fact.holds("the interval holds the median, and no disturbed round moves it far", function()
  local numbers = {}
  for i = 1, 41 do numbers[i] = (i * 17) % 41 end
  numbers[1], numbers[2] = 1000, -1000 -- of 17 and 34
  local middle, low, high = ratio.median(numbers)
  fact.equal(("%d in %d..%d"):format(middle, low, high), "20 in 10..29")
end)

-- -- Results ----------------------------------------------------------------------------------------------------------

fact.holds("a candidate whose results differ in one bit is refused, with its values and the call", function()
  local calls, expected = { "q_len 20", "q_len 128" }, { "\0\0\128\63", "\0\0\0\64" }
  results.check("m", "out.rows=3", calls, expected, { "\0\0\128\63", "\0\0\0\64" })
  fact.raises("m: with 'out.rows=3' a result has other bits (q_len 128). This is a bug of genattn, please report it",
    results.check, "m", "out.rows=3", calls, expected, { "\0\0\128\63", "\1\0\0\64" })
end)

-- -- Memory -----------------------------------------------------------------------------------------------------------

local folder = fact.folder("tune")
local PATH = folder .. "measured.txt"
local FOUND = { verdict = "faster", ratio = 1.0312, low = 1.01, high = 1.05, rounds = 24 }

fact.holds("what was measured is there in the next run, unless it is about something else", function()
  os.remove(PATH)
  Memory.open(PATH, "# a"):put("", "out.rows=11", FOUND)
  Memory.open(PATH, "# a"):put("out.rows=11", "out.rows=10", FOUND)
  local memory = Memory.open(PATH, "# a")
  fact.equal(memory:get("", "out.rows=11").ratio, 1.0312)
  fact.equal(memory:get("out.rows=11", "out.rows=10").verdict, "faster")
  fact.equal(memory:get("out.rows=10", "out.rows=11"), nil)
  fact.equal(Memory.open(PATH, "# b"):get("", "out.rows=11"), nil)
end)

fact.holds("a file that was cut short or damaged is read as far as it is whole", function()
  assert(fs.write_all(folder:gsub("/$", ""), { { "measured.txt",
    "# a\nfaster 1.1 1.0 1.2 16||out.rows=11\nfaster 1.1 x\n\0\nslower 0.9 0.8 0.95 16||out.r" } }))
  local memory = Memory.open(PATH, "# a")
  fact.equal(#memory.lines, 2)
  fact.equal(memory:get("", "out.rows=11").ratio, 1.1)
end)

-- -- The command line -------------------------------------------------------------------------------------------------

local LUA = compat.version:find("JIT") and "luajit" or "lua5.4"

local function entry(gain, rows)
  return ("[wisdom]\ncpu = A 1 2\nl1d = 1\nl2 = 1\ncompiler = gcc 12\nplan = 1\nisa = avx2\nspec = d_model=8\n" ..
    "gain = %.3f\nout.rows = %d\n"):format(gain, rows)
end

local function merge(words)
  return compat.capture(("%s tools/tune/merge.lua '%s'"):format(LUA, words))
end

fact.holds("files are merged on standard output, and a wrong one is named", function()
  assert(fs.write_all(folder:gsub("/$", ""), { { "a.txt", entry(1.1, 5) }, { "b.txt", entry(1.2, 6) },
    { "c.txt", "no\n" } }))
  local said, code = merge(("%sa.txt %sb.txt"):format(folder, folder))
  fact.equal(code, 0)
  fact.contains(said, "gain = 1.200\nout.rows = 6\n")
  said, code = compat.capture(("%s tools/tune/merge.lua '%sa.txt %sb.txt' %smerged.txt"):format(LUA, folder, folder,
    folder))
  fact.equal(("%d %s"):format(code, said), ("0 wrote %smerged.txt\n"):format(folder))
  fact.contains(assert(fs.read(folder .. "merged.txt")), "gain = 1.200\nout.rows = 6\n")
  said, code = merge(folder .. "a.txt " .. folder .. "c.txt")
  fact.equal(said, ("wisdom-merge: %sc.txt, line 1: 'no'; expected name = value, or [wisdom]\n"):format(folder))
  fact.equal(code, 1)
  said = merge("")
  fact.equal(said, "wisdom-merge: no file is named; expected WISDOM=\"A.txt B.txt\" ninja wisdom-merge\n")
end)

fact.finish()
