-- program_bench.lua: the command `bench` of any program: its table, its JSON, and that the numbers agree.
-- Judges no time.

local files = require "program_files"

local function number(text, name) return tonumber(text:match('"' .. name .. '": ([-%d.e+]+)')) end

-- A link in the place of an output is replaced; what is no file is refused before anything is measured.
local function test_links(path, expect_run, expect)
  local function sh(command) assert(os.execute(("cd %s && %s"):format(path "", command))) end
  local lengths = { number(expect_run(0, "info --json"):match('"seq_len": (%b{})'), "min") }
  local bench = ("bench --seconds 0.001 --lengths %d --json "):format(lengths[1])
  sh("rm -f mine link pipe to_pipe && echo mine >mine && ln -s mine link && mkfifo pipe && ln -s pipe to_pipe")
  expect_run(0, bench .. "%link", "% peak")
  expect(files.slurp(path "mine") == "mine\n", "bench wrote through a link")
  expect(files.slurp(path "link"):find('"cells"', 1, true), "bench wrote no JSON in the place of a link")
  for _, name in ipairs { "pipe", "to_pipe" } do
    expect_run(1, bench .. "%" .. name, name .. ": is not a regular file, and only such a one is replaced")
  end
  sh("[ -p pipe ] && [ -L to_pipe ] && ! ls -A | grep tmp$")
end

-- What checks one program's bench, with the tools of program_test.lua.
return function(path, expect_run, expect)
  local function test_bench_of(threads)
    local lengths = { number(expect_run(0, "info --json"):match('"seq_len": (%b{})'), "min") }
    local given = ("--lengths %d --threads %d"):format(lengths[1], threads)
    expect_run(0, "bench --isa all --seconds 0.001 --json %cells " .. given, "% peak", (", %d thread"):format(threads))
    local cells, seen = files.slurp(path "cells"), 0
    for cell in cells:match('"cells": (%b[])'):gmatch("%b{}") do
      seen = seen + 1
      local low, middle, high = number(cell, "us_min"), number(cell, "us_median"), number(cell, "us_max")
      expect(low > 0 and low <= middle and middle <= high, "times out of order in\n%s", cell)
      local percent = 100 * number(cell, "gflops") / number(cell, "peak_gflops")
      expect(math.abs(percent / number(cell, "percent_of_peak") - 1) < 1e-6, "percent_of_peak is wrong in\n%s", cell)
      expect(number(cell, "seq_len") == lengths[1] and number(cell, "threads") == threads, "wrong cell\n%s", cell)
    end
    expect(seen >= 1, "no cells in\n%s", cells)
  end

  return function()
    test_bench_of(1)
    test_bench_of(2)
    expect_run(1, "bench --json %nowhere/cells", "nowhere")
    test_links(path, expect_run, expect)
  end
end
