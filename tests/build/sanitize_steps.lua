-- sanitize_steps.lua: the steps of check-sanitize, check-races, check-emulated and check-memory, each a target of its
-- own, which run whenever they are asked for.
local Edges = require "build.edges"
local commands = require "tests.build.step_commands"
local fmt = require "base.fmt"
local inputs = require "tests.build.inputs"
local roles = require "tests.build.roles"
local text = require "base.text"

local base, joined, sharing = commands.base, Edges.joined, commands.sharing

local PROGRAM_TEST = "tests/program/program_test.lua"

-- What standalone programs do under sanitizers in Criterion's place.
local function is_standalone_too(path)
  return path:find("test_threads") ~= nil
end

-- Leaks are left out where Criterion runs: it has its own. Faults stay the test's own: some are made on purpose.
local CRITERION_OPTIONS = "ASAN_OPTIONS=detect_leaks=0:handle_segv=0 "

-- The facts of kernels about each of these models as a step: a process has one thread.
local function kernel_steps(add, names, how, binary, percent, before)
  local list = {}
  for i, name in ipairs(names) do
    list[i] = add(("kernels of %s, %s"):format(name, how), binary, ("%d %s"):format(percent, name), before)
  end
  return list
end

local function sanitized(add, off, tests)
  local names = {}
  for i, model in ipairs(tests.sanitized.models) do names[i] = model.spec.name end
  local list = joined(kernel_steps(add, names, "sanitized", "out/sanitize/test/standalone_kernels", 10), {
    add("threads, sanitized", "out/sanitize/test/standalone_threads", "100"),
    add("threads, looking for races", "out/races/test/standalone_threads", "100"),
    add("calls that share weights and threads, looking for races", "out/races/test/standalone_sharing",
      sharing("1", tests.shared, roles.races)),
  })
  for _, path in ipairs(tests.sanitized.criterion) do
    if not is_standalone_too(path) then
      list[#list + 1] = add(base(path) .. ", sanitized", path, "", CRITERION_OPTIONS)
    end
  end
  if #tests.sanitized.criterion == 0 then list[#list + 1] = off(commands.NO_CRITERION) end
  return list
end

-- A thousand rounds of what check-sanitize has a few of.
local function races(add, _, tests)
  return {
    add("threads, looking for races for long", "out/races/test/standalone_threads", "1000"),
    add("calls that share weights and threads, looking for races for long", tests.races,
      sharing("1000", tests.shared)),
  }
end

local function emulated(add, off, tests, saved)
  if not saved.answers.simde then return { off("emulated kernels: no SIMDe (Debian: libsimde-dev)") } end
  if not tests.emulated then return { off("emulated kernels: no instruction set of this build needs it") } end
  return kernel_steps(add, text.sorted_keys(roles.emulated), "AVX-512 and AVX-VNNI emulated", tests.emulated, 5)
end

-- A command that passes where a tool tells of a number that nobody wrote.
local function telling(command, words)
  return ("if %s 2>&1 | grep -q %s; then echo '1 passed, 0 failed'; else echo '0 passed, 1 failed'; exit 1; fi"):format(
    command, fmt.sh_quote(words))
end

local function memory(add, off, _, saved, steps)
  local list = {}
  local lua, unset = saved.settings.variables.LUA, "out/unset/test/"
  if saved.answers.msan then
    local fixtures = { unset .. "program_fixture", unset .. "program_stack_fixture" }
    list = kernel_steps(add, text.sorted_keys(roles.memory), "looking for unset numbers", unset .. "standalone_kernels",
      2)
    list[#list + 1] = steps:add({ name = "program, looking for unset numbers", inputs = fixtures,
      command = ("%s %s %s -"):format(lua, PROGRAM_TEST, table.concat(fixtures, " ")) })
    list[#list + 1] = steps:add({ name = "an unset number is told of", inputs = { unset .. "standalone_unset" },
      command = telling(unset .. "standalone_unset", "use-of-uninitialized-value") })
  else
    list[1] = off("memory sanitizer: no clang that has one (Debian: clang libclang-rt-dev)")
  end
  if saved.answers.valgrind then
    local valgrind = "valgrind -q --error-exitcode=9 "
    list = joined(list, kernel_steps(add, text.sorted_keys(roles.valgrind), "under valgrind",
      "out/test/all/standalone_kernels", 1, valgrind))
    list[#list + 1] = steps:add({ name = "an unset number is told of by valgrind",
      inputs = { "out/test/all/standalone_unset" },
      command = telling(valgrind .. "out/test/all/standalone_unset", "uninitialised value") })
  else
    list[#list + 1] = off("valgrind: not there (Debian: valgrind)")
  end
  return list
end

local TARGETS = {
  { name = "check-sanitize", steps = sanitized },
  { name = "check-races", steps = races },
  { name = "check-emulated", steps = emulated },
  { name = "check-memory", steps = memory },
}

-- Adds these steps. steps: a Steps; tests: binaries.lua's; saved: what configure saved.
return function(steps, saved, tests)
  local function add(name, binary, arguments, before)
    return steps:add({ name = name, command = ("%s%s %s"):format(before or "", binary, arguments),
      inputs = { binary, inputs.GOLDENS } })
  end
  for _, target in ipairs(TARGETS) do
    steps:list(target.name, "always", target.steps(add, steps.off, tests, saved, steps))
  end
end
