-- docs_test.lua: runs every block of commands in the documents, in order, as it stands, and has every spec in them
-- read. A block is what is indented by four blanks: it holds commands where its first line begins as one does. What is
-- no command is in a list here, and so is what takes too long, with what is done in its place.
-- tests/docs/docs.sh calls it in a copy of the tree: lua docs_test.lua ROOT [DOCUMENT...]
package.path = "generator/?.lua;tests/docs/?.lua;tests/program/?.lua;" .. package.path

local compat = require "base.compat"
local fs = require "base.fs"
local make_fixtures = require "docs_fixtures"

local DOCUMENTS = { "README.md", "docs/README.md", "docs/build.md", "docs/tuning.md", "docs/install.md", "docs/spec.md",
  "docs/models.md", "docs/c-api.md", "docs/architecture.md", "docs/glossary.md", "docs/testing.md",
  "docs/numbers.md", "docs/python.md", "docs/bindings.md", "docs/text.md", "docs/cluster.md", "docs/sqlite.md",
  "examples/README.md", "bench/README.md", "demo/README.md", "specs/README.md", "tests/README.md",
  "CONTRIBUTING.md", "SECURITY.md" }

-- How the first line of a block of commands begins.
local COMMANDS = { "^%./", "^mkdir ", "^out/", "^ninja ", "^cmake ", "^export ", "^make ", "^gcc ", "^g%+%+ ", "^sh ",
  "^hf ", "^python3 ", "^lua5%.4 ", "^[A-Z_]+=%S+ " }

-- How a block of anything else begins, and what it is.
local OTHERS = {
  { "^return {", "a spec" },
  { "^%[wisdom%]", "wisdom" },
  { "^// layer%.c:", "C; examples_test.lua compares it with the file, which it compiles" },
  { "^const struct ga_variant", "lines of it, compared in the same way" },
  { "^size_t size = ga_cache_size", "C, of which examples/decode.c is the whole" },
  { "^static const struct ga_ranks", "C; tests/support/team.c has the like of it" },
  { "^struct ga_batches batches", "C; tests/unit/test_batches.c has the like of it" },
  { "^a musical instrument$", "what ninja demo-minilm prints" },
  { "^import ", "Python; tests/bindings/python calls all of it" },
  { "^got = layer", "Python" }, { "^cache = model", "Python" }, { "^ids = model", "Python" },
  { "^vectors = model", "Python" },
  { "^attention = torch", "Python" },
  { "^sqlite3 ", "SQL; tests/bindings/sqlite has the like of it" }, { "^%s*ALTER TABLE", "SQL" },
  { "^UPDATE ", "SQL" }, { "^sh bench/bindings/sqlite%.sh", "a minute, of a trained model" },
  { "^configure  ", "the tree" },
  { "^spec  ", "the floors of the generator" },
  { "^results%.md  ", "files of results" },
  { "^cells%.py ", "files of the benchmark" },
  { "^%$ local rows", "a file of fragments" },
}

-- Commands that are not run as they stand: a pattern, what is run in place of it (%1 is the pattern's capture), and
-- why. PYTHON is one that has NumPy. A dry run tells that a target of ninja is there; with --list a script
-- reads its arguments and does nothing.
local LONG = {
  { "^(%./configure .*CC=.* %-%-runner .-) && ninja.*$", "GA_ONLY_OPTIONS=yes %1", "a step of .ci/run" },
  { "^(%./configure) %-%-install%-deps (.*) && ninja (%w+)$", "%1 %2 && ninja -n %3", "steps of .ci/run" },
  { "^(%./configure .* CFLAGS=%-g) && ninja$", "%1 && ninja -n", "a minute, of flags that only it has" },
  { "^ninja (demo%-minilm)$", "ninja -n %1", "a step of .ci/run, which gets 100 MB" },
  { "^out/minilm/venv/bin/python (demo/minilm/draw%.py) .*$", "test -e %1", "a step of .ci/run, as it needs these" },
  { "^hf download %S+ %-%-local%-dir (%S+)$", "test -d %1", "needs the network" },
  { "^out/bin/all_minilm_l6_v2 (search) .*$", "out/bin/all_minilm_l6_v2 %1 --help", "needs the trained weights" },
  { "^ninja (check[%w-]*)$", "ninja -n %1", "steps of .ci/run; check-races takes an hour" },
  { "^(FILE=%S+ ninja) (tests%-of)$", "%1 -n %2", "as long as the line before it, which does the same" },
  { "^COUNT=20000 (ninja) (check%-specs)$", "%1 -n %2", "an hour" },
  { "^FUZZ_SECONDS=120 (ninja) (check%-fuzz)$", "%1 -n %2", "minutes" },
  { "^SECONDS=3600 (ninja) (soak)$", "%1 -n %2", "a step of .ci/run" },
  { "^TESTS=out/test/test_tensor ninja (test%-binaries) && .*$", "ninja -n %1", "a minute the first time" },
  { "^ninja (mutants)$", "ninja -n %1", "a step of .ci/run" },
  { "^ninja ([%w-]*bits[%w-]*)$", "ninja -n %1", "minutes; a part of ninja check" },
  { "^CC=.* sh (tests/bits/compiler%.sh).*$", "sh -n %1", "minutes; a step of .ci/run" },
  { "^TUNED=%S+ sh (tests/bits/compiler%.sh).*$", "sh -n %1", "minutes; a step of .ci/run" },
  { "^ninja (tune)$", "TUNE_SECONDS=1 ninja %1", "three minutes; this builds one library and writes its wisdom" },
  { "^COUNT=12 ninja (mutants)$", "ninja -n %1", "a step of .ci/run" },
  { "^ninja (numbers)$", "ninja -n %1", "minutes" },
  { "^cd out/unpacked/mha_512_8%-0%.1%.0 && make && make check && (.*)$",
    "cd out/unpacked/mha_512_8-0.1.0 && make -n check && %1 -n", "tests/packaging/dist_test.lua does" },
  { "^(make) CC=.* LDFLAGS=%-static check$", "%1 -n -C out/unpacked/mha_512_8-0.1.0 check", "minutes" },
  { "^ninja (lint)$", "ninja -n %1", "a step of .ci/run" },
  { "^ninja (bench)$", "ninja -n %1", "half a minute a model, and `bench` of a program is run" },
  { "^ninja (bench%-[%w-]+)$", "ninja -n %1", "minutes to hours" },
  { "^BENCH_ARGS=(%S+) ninja bench%-peers$", "PYTHON bench/run.py %1 --list", "installs a gigabyte" },
  { "^BENCH_ARGS=\"([^\"]*)\" (ninja bench%-features)$", "BENCH_ARGS=\"%1 --list\" %2", "minutes" },
  { "^BENCH_ARGS='([^']*)' ninja bench%-gemm$", "PYTHON bench/gemm/run.py %1",
    "installs a gigabyte; the environment of the comparison with PyTorch has all that it needs" },
  { "^BENCH_ARGS='[^']*' (ninja) (bench%-text%-in)$", "%1 -n %2", "installs a gigabyte" },
  { "^SHAPES=\"[^\"]*\" sh (bench/shapes/run%.sh) .*$", "sh -n %1", "installs gigabytes" },
  { "^sh bench/run%.sh (.*)$", "PYTHON bench/run.py %1 --list", "installs a gigabyte" },
  { "^python3 (bench/features%.py .*)$", "python3 -B %1 --list", "minutes" },
  { "^sh (tests/pytorch/%w+%.sh)$", "sh -n %1", "a step of .ci/run" },
  { "^sh (tests/cases%.sh)$", "sh -n %1", "a step of .ci/run" },
  { "^sh (tests/text/run%.sh) 1000$", "sh -n %1", "a step of .ci/run" },
  { "^sh (tests/emulate/cross%.sh)$", "sh -n %1", "a step of .ci/run" },
  { "^sh (tests/text/static%.sh)$", "sh -n %1", "a step of .ci/run" },
  { "^CC=.* sh (tools/libraries%.sh) %S+$", "sh -n %1", "a step of .ci/run" },
  { "^sh (tests/docs/docs%.sh)[%w/. ]*$", "sh -n %1", "it is what runs this" },
  { "^python3 %-m pip install .*$", "python3 -m zipfile -e $(echo out/python/mha_512_8-*.whl) out/site",
    "not every Python has pip" },
  { "^PYTHONPATH=(%S+) python3 (examples/layer%.py)$",
    "PYTHON -c 'import sys, runpy; sys.path.insert(0, \"%1\"); runpy.run_path(\"%2\")'", "needs numpy" },
  { "^lua5%.4 (tests/generator/run%.lua)$", "test -e %1", "a part of ninja check" },
  { "^(%.ci/run)$", "bash -n %1 && test -x %1", "hours" },
}

local root = table.remove(arg, 1)
local passed, failed = 0, 0

local function check(truth, place, ...)
  if truth then
    passed = passed + 1
  else
    failed = failed + 1
    print(("FAIL %s: "):format(place) .. table.concat({ ... }, "\n"))
  end
  io.stdout:flush()
  return truth
end

local function matches(text, patterns)
  for _, pattern in ipairs(patterns) do
    if text:find(pattern) then return true end
  end
end

-- -- Blocks ---------------------------------------------------------------------------------------------------------

-- The indented blocks of a document, each { place, lines }, lines without the four blanks. A row of a list that goes on
-- is indented by fewer. What stands between fences is written by a script, or no command.
local function blocks_of(document)
  local blocks, block, number, before, is_fenced = {}, nil, 0, "", false
  for line in (assert(fs.read(document)) .. "\n"):gmatch("([^\n]*)\n") do
    number = number + 1
    if line:find("^```") then is_fenced = not is_fenced end
    local code = not is_fenced and line:match("^    (.*)$")
    if code and not block and before == "" then
      block = { place = ("%s:%d"):format(document, number), lines = {} }
      blocks[#blocks + 1] = block
    end
    if line ~= "" and not code then block = nil end
    if block then block.lines[#block.lines + 1] = code or "" end
    before = line
  end
  return blocks
end

-- The commands of a block: lines joined where they end in a backslash, without what is said beside them, which two
-- blanks or a ; come before; rows that only go on saying it are indented further.
local function commands_of(block)
  local commands, text = {}, table.concat(block.lines, "\n"):gsub("\\\n%s*", "")
  for line in text:gmatch("[^\n]+") do
    if not line:find("^%s") then commands[#commands + 1] = line:gsub("%s%s+.*$", ""):gsub("%s+#.*$", "") end
  end
  return commands
end

-- -- Running them ---------------------------------------------------------------------------------------------------

-- The Python that has what bench/run.py needs: that of the comparison with PyTorch.
local function python()
  local path = root .. "/out/pytorch/venv/bin/python"
  return fs.exists(path) and path .. " -B"
end

-- What is run for a command; nil where this machine cannot.
local function to_run(command)
  for _, row in ipairs(LONG) do
    if command:find(row[1]) then
      local instead = command:gsub(row[1], row[2])
      if not instead:find("^PYTHON ") then return instead end
      return python() and instead:gsub("^PYTHON", python())
    end
  end
  return command
end

-- The file that --output names is there afterwards.
local function check_output(place, command)
  local output = command:match("%-%-output (%S+)")
  if output then check((fs.size(output) or 0) > 0, place, command, "wrote no " .. output) end
end

local function run(place, command)
  local instead = to_run(command)
  if not instead then return print(("skipped: %s: %s: no out/pytorch/venv"):format(place, command)) end
  make_fixtures(instead)
  local output, code = compat.capture(instead .. " </dev/null")
  if check(code == 0, place, instead, ("exit %d"):format(code), output:sub(-2000)) then check_output(place, instead) end
end

local function check_spec(block)
  assert(fs.write_if_changed("out/spec.lua", table.concat(block.lines, "\n")) ~= nil)
  local output, code = compat.capture("lua5.4 generator/main.lua --spec out/spec.lua --isa scalar --out out/spec")
  check(code == 0, block.place, "the spec is refused", output)
end

local function check_block(block)
  local first = block.lines[1]
  if first:find("^return {") then return check_spec(block) end
  if matches(first, COMMANDS) then
    for _, command in ipairs(commands_of(block)) do run(block.place, command) end
    return
  end
  for _, other in ipairs(OTHERS) do
    if first:find(other[1]) then return end
  end
  check(false, block.place, "neither commands nor anything that this test knows: " .. first)
end

-- Targets that the text names, as `ninja NAME`, are there. A document alone may name some and configure nothing.
local function check_targets(document)
  if not fs.exists("out/config.ninja") then compat.capture("./configure") end
  for target in assert(fs.read(document)):gmatch("`ninja ([%w_-]+)`") do
    local output, code = compat.capture("ninja -n " .. target)
    check(code == 0, document, "`ninja " .. target .. "`", output)
  end
end

local documents = arg[1] and arg or DOCUMENTS
for _, document in ipairs(documents) do
  for _, block in ipairs(blocks_of(document)) do check_block(block) end
  check_targets(document)
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
