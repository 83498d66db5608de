-- files.lua: the texts configure writes beside the edges: out/config.ninja, the lists of test steps, its depfile.
-- Writes nothing itself.
local fmt = require "base.fmt"
local fs = require "base.fs"
local ninja = require "ninja"
local short_lists = require "configure.short_lists"
local text = require "base.text"

local files = {}

local SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
local RACES = "-fsanitize=thread -fno-omit-frame-pointer -g"

-- Folders configure lists, so that a new file in one of them runs it again.
local FOLDERS = { "program", "runtime", "tests", "tests/generator", "tests/numbers", "tests/specs",
  "tests/support" }

-- Command line of the next run, quoted for sh.
local function next_run(settings)
  local words = { "./configure" }
  for _, argument in ipairs(settings.arguments) do words[#words + 1] = fmt.sh_quote(argument) end
  return table.concat(words, " ")
end

-- The best instruction set that this CPU runs, for tests of what the text of templates means, whatever spells it.
local function checked_isa(answers)
  for _, entry in ipairs(answers.isas) do
    if entry.runs then return entry.name end
  end
  return answers.built[1]
end

-- Whether the library's use of the stack is known: other builds than the usual one take as much as they like.
function files.measures_stack(settings, answers)
  return answers.callgraph ~= nil and not settings.debug and not settings.sanitize
end

-- out/config.ninja: the variables build.ninja's rules use.
function files.config(settings, answers)
  local v, w = settings.variables, ninja.writer()
  local criterion = answers.criterion or { cflags = "", libraries = "" }
  local warnings = table.concat(answers.warnings, " ") .. (settings.werror and " -Werror" or "")
  local rows = {
    { "configure", next_run(settings) }, { "cc", v.CC }, { "ar", v.AR }, { "lua", v.LUA },
    { "cppflags", v.CPPFLAGS }, { "cflags", v.CFLAGS }, { "ldflags", v.LDFLAGS }, { "warnings", warnings },
    { "opt", settings.debug and "-O0" or "-O2" }, { "kernel_opt", settings.debug and "-O0" or "-O2" },
    { "debug", (settings.debug or settings.sanitize) and "-g" or "" },
    { "callgraph", files.measures_stack(settings, answers) and answers.callgraph or "" },
    { "mode", settings.sanitize and SANITIZE or "" }, { "sanitize", SANITIZE .. " -g" },
    { "races", RACES }, { "clang", answers.clang or "clang" }, { "unset", answers.msan or "" },
    { "valgrind_cflags", answers.valgrind and "-DGA_VALGRIND" or "" }, { "checked_isa", checked_isa(answers) },
    { "jansson_cflags", answers.jansson.cflags }, { "criterion_cflags", criterion.cflags },
    { "program_libraries", answers.jansson.libraries .. " -lm -pthread" },
    { "test_libraries", table.concat({ answers.jansson.libraries, criterion.libraries, "-lm -pthread" },
      " ") },
    { "bindir", fmt.sh_quote(settings.bindir) }, { "libdir", fmt.sh_quote(settings.libdir) },
    { "includedir", fmt.sh_quote(settings.includedir) },
  }
  w:comment("Written by configure.")
  for _, row in ipairs(rows) do w:variable(row[1], row[2]) end
  return w:text()
end

-- The depfile of build.ninja: everything whose change may change what configure writes.
function files.depfile()
  local inputs = fs.inputs()
  for _, folder in ipairs(FOLDERS) do inputs[#inputs + 1] = folder end
  return ninja.depfile("build.ninja", inputs)
end

local function names_of(list)
  local names = {}
  for i, model in ipairs(list) do names[i] = model.spec.name end
  return text.join(names)
end

local function quoted(paths)
  local words = {}
  for i, path in ipairs(paths) do words[i] = fmt.sh_quote(path) end
  return table.concat(words, " ")
end

local NO_CRITERION = "Criterion is missing (Debian: libcriterion-dev): runtime and weight file tests"

local function test_name(path, models)
  local name = path:match("[^/]*$")
  return name == "configured" and "kernels of " .. names_of(models.configured) or name
end

-- Calls that share weights and threads: a step's command for so many rounds, of a build of the tests; only of models in
-- `some`, where it is given.
local function sharing(folder, rounds, tests, some)
  local words = { folder .. "/plain_sharing", rounds }
  for _, model in ipairs(tests.shared) do
    if not some or some[model.spec.name] then words[#words + 1] = model.spec.name end
  end
  return table.concat(words, " ")
end

-- A program that loads shared objects: two versions of a model, and the user's models.
local function add_host_step(step, settings, models, tests)
  if settings.sanitize then return step("libraries loaded by a host: a sanitizer must be the program's own", "") end
  local words = { "out/test/plain_host 20", quoted(tests.versions) }
  for _, model in ipairs(models.configured) do words[#words + 1] = ("out/lib/lib%s.so"):format(model.spec.name) end
  step("libraries loaded by a host", table.concat(words, " "))
end

-- A CPU that nobody knows, said by a stand-in for what asks it; and one of 2008, by an emulator.
local function add_cpu_steps(step, settings, answers, tests)
  step("kernels on a CPU nobody knows", tests.unknown_cpu .. " 1")
  if not answers.qemu or #answers.built == 1 then
    local why = answers.qemu and "no instruction set it lacks is built" or "no qemu-x86_64 (Debian: qemu-user)"
    return step("kernels on a CPU of 2008: " .. why, "")
  end
  step("kernels on a CPU of 2008", ("%s tests/old_cpu.lua %s %s '%s 1 cache'"):format(settings.variables.LUA,
    answers.qemu, table.concat(answers.built, ","), tests.two))
end

local function add_library_step(step, settings, tests)
  if settings.sanitize then return step("names in libraries: sanitizers add theirs", "") end
  step("names in libraries", ("%s tests/symbols.lua %s"):format(settings.variables.LUA, quoted(tests.libraries)))
end

-- Steps of two Luas write to the same folders, so that something else stands between them.
local function add_generator_steps(step, luas, models, cc)
  local specs = {}
  for i, model in ipairs(models.products) do specs[i] = model.path end
  local between = {
    { "same bytes from every run of " .. text.join(luas),
      ("%s tests/same_bytes.lua %s %s"):format(luas[1], table.concat(luas, ","), quoted(specs)) },
    { "golden files", luas[1] .. " tests/golden.lua compare" },
  }
  for i, lua in ipairs(luas) do
    step("generator under " .. lua, lua .. " tests/generator/run.lua")
    if i == 1 then step(between[1][1], between[1][2]) end
  end
  for i, lua in ipairs(luas) do -- compiled once: both Luas make the same
    step("specs nobody would write, under " .. lua, ("%s tests/hostile_specs.lua 2500 %d %d 1 %s"):format(lua,
      i == 1 and 12 or 4, i == 1 and 12 or 0, fmt.sh_quote(cc)))
    if i == 1 then step(between[2][1], between[2][2]) end
  end
end

-- Steps that look at the libraries' objects without running them.
local function add_library_steps(step, settings, answers)
  local lua = settings.variables.LUA
  if settings.sanitize then
    step("what the libraries call: sanitizers add calls of their own", "")
  else
    step("what the libraries call", lua .. " tests/imports.lua out/library.list")
  end
  if files.measures_stack(settings, answers) then
    step("stack use", lua .. " tests/frames.lua out/library.list")
    step("stack use and calls that are refused",
      ("%s tests/objects_test.lua %s %s"):format(lua, lua, fmt.sh_quote(settings.variables.CC)))
  else
    step("stack use: only gcc from 10 on measures it, without debugging and sanitizers", "")
  end
end

-- The steps of `ninja check`, for tests/check.lua: lines of a name, a tab and a command. An empty command is a step
-- that is off; its name says why.
function files.check_list(settings, answers, models, tests)
  local lines, luas = {}, { settings.variables.LUA, answers.second_lua }
  local function step(name, command) lines[#lines + 1] = name .. "\t" .. command end
  add_generator_steps(step, luas, models, settings.variables.CC)
  add_library_steps(step, settings, answers)
  for _, path in ipairs(tests.plain.criterion) do step(test_name(path, models), path) end
  if not answers.criterion then
    step(NO_CRITERION, "")
    step("kernels", "out/test/plain_kernels 100")
    step("threads", "out/test/plain_threads 100")
  end
  step(test_name(tests.configured, models), tests.configured .. (answers.criterion and "" or " 100"))
  step("calls that share weights and threads", sharing("out/test", 2, tests))
  step("two libraries with a runtime each", tests.two .. " 1")
  add_cpu_steps(step, settings, answers, tests)
  add_host_step(step, settings, models, tests)
  add_library_step(step, settings, tests)
  if #tests.plain.failing == 0 then step("failing memory, disk and reads: needs glibc and no sanitizers", "") end
  for _, path in ipairs(tests.plain.failing) do step(test_name(path, models), path) end
  step("numbers of docs/numbers.md", ("%s tests/numbers.lua check %s"):format(luas[1], tests.numbers))
  local programs = {}
  if #tests.plain.quiet == 0 then step("quiet kernels: needs glibc, GNU ld's --wrap and no sanitizers", "") end
  for _, path in ipairs(tests.plain.quiet) do step(test_name(path, models), path) end
  for i, model in ipairs(models.configured) do programs[i] = "out/bin/" .. model.spec.name end
  step("program", ("%s tests/program_test.lua out/test/program_fixture out/test/program_stack_fixture out/test/bin %s")
    :format(luas[1], quoted(programs)))
  return table.concat(lines, "\n") .. "\n"
end

-- The step of `ninja check-emulated`.
function files.emulated_list(answers, tests)
  if not answers.simde then return "emulated kernels: no SIMDe (Debian: libsimde-dev)\t\n" end
  if not tests.emulated then return "emulated kernels: no instruction set of this build needs it\t\n" end
  return "kernels, AVX-512 emulated\t" .. tests.emulated .. " 5\n"
end

-- A step that passes where a tool tells of a number that nobody wrote.
local function telling(command, words)
  return ("if %s 2>&1 | grep -q %s; then echo '1 passed, 0 failed'; else echo '0 passed, 1 failed'; exit 1; fi"):format(
    command, fmt.sh_quote(words))
end

-- The steps of `ninja check-memory`.
function files.memory_list(settings, answers)
  local lines, names = {}, text.sorted_keys(short_lists.valgrind)
  local function step(name, command) lines[#lines + 1] = name .. "\t" .. command end
  if answers.msan then
    step("kernels, looking for unset numbers", "out/unset/test/plain_kernels 2")
    step("program, looking for unset numbers", settings.variables.LUA ..
      " tests/program_test.lua out/unset/test/program_fixture out/unset/test/program_stack_fixture -")
    step("an unset number is told of", telling("out/unset/test/plain_unset", "use-of-uninitialized-value"))
  else
    step("memory sanitizer: no clang that has one (Debian: clang libclang-rt-dev)", "")
  end
  if answers.valgrind then
    local valgrind = "valgrind -q --error-exitcode=9 "
    step("kernels under valgrind", valgrind .. "out/test/plain_kernels 1 " .. table.concat(names, " "))
    step("an unset number is told of by valgrind", telling(valgrind .. "out/test/plain_unset", "uninitialised value"))
  else
    step("valgrind: not there (Debian: valgrind)", "")
  end
  return table.concat(lines, "\n") .. "\n"
end

-- What plain programs do under sanitizers in Criterion's place.
local function is_plain_too(path)
  return path:find("test_kernels") or path:find("test_threads")
end

-- The steps of `ninja check-sanitize`. Leaks are left out where Criterion runs: it has its own.
function files.sanitize_list(tests)
  local lines = {
    "kernels, sanitized\tout/sanitize/test/plain_kernels 10", "threads, sanitized\tout/sanitize/test/plain_threads 100",
    "threads, looking for races\tout/races/test/plain_threads 100",
    "calls that share weights and threads, looking for races\t" ..
      sharing("out/races/test", 1, tests, short_lists.raced),
  }
  for _, path in ipairs(tests.sanitized.criterion) do
    if not is_plain_too(path) then
      -- Faults stay the test's own: some are made on purpose.
      lines[#lines + 1] = ("%s, sanitized\tASAN_OPTIONS=detect_leaks=0:handle_segv=0 %s"):format(path:match("[^/]*$"),
        path)
    end
  end
  if #tests.sanitized.criterion == 0 then lines[#lines + 1] = NO_CRITERION .. "\t" end
  return table.concat(lines, "\n") .. "\n"
end

-- The steps of `ninja check-races`: a thousand rounds of what check-sanitize has a few of.
function files.races_list(tests)
  return "threads, looking for races\tout/races/test/plain_threads 1000\n" ..
    "calls that share weights and threads, looking for races\t" .. sharing("out/races/test", 1000, tests) .. "\n"
end

return files
