-- program_isas.lua: what `info` and `bench` say of a CPU that has more than the program's model takes.
-- The fixture has portable code alone, so that a CPU with AVX2, as /proc/cpuinfo tells, has more. Judges no time.

local function has_avx2()
  if os.getenv "GA_EMULATED" then return false end -- the flags are those of the machine that emulates
  local stream = io.open("/proc/cpuinfo", "r")
  local flags = stream and (stream:read("*a"):match("\nflags%s*:([^\n]*)") or "") .. " " or ""
  if stream then stream:close() end
  return flags:find(" avx2 ", 1, true) ~= nil and flags:find(" fma ", 1, true) ~= nil
end

return function(expect_run, expect)
  local has, bench = has_avx2(), "bench --seconds 0.001 --lengths 1"
  local function expect_told(text, words)
    expect((text:find(words, 1, true) ~= nil) == has, "a CPU that has%s AVX2: %s", has and "" or " no", text)
  end
  expect_told(expect_run(0, "info"), "avx2   not taken, though this CPU has it: ")
  expect_told(expect_run(0, "info --json"):match('"not_taken": (%b[])'), '"isa": "avx2"')
  local _, err = expect_run(0, bench)
  expect_told(err, "avx2 is not measured, though this CPU has it: ")
  _, err = expect_run(0, bench .. " --isa scalar")
  expect(not err:find("not measured", 1, true), "bench of what was asked for: %s", err)
end
