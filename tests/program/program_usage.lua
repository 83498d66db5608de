-- program_usage.lua: every command used wrongly, once in each way: what is said must name what was found and what was
-- expected; a part of program_test.lua. Of the fixture alone, whose ranges it knows.

-- What stands before a wrong word so that the command gets to it; %in, %weights and %expected are files that do.
local COMMANDS = {
  info = "", inspect = "%weights", bench = "",
  pack = "--weights %weights --output %none",
  run = "--weights %weights --input %in --output %none",
  check = "--weights %weights --input %in --expected %expected",
  draw = "--weights %weights --input %in --output %none.svg",
  embed = "--weights %weights --tokens %in --output %none",
  search = "--weights %weights --corpus %in",
  generate = "--weights %weights --input %in --output %none",
}

-- Those that the fixture, a layer without an embedding, cannot do: what must be said where they are used.
local REFUSED = {
  embed = "fixture is not an encoder", search = "fixture is not an encoder",
  generate = "fixture cannot go on from tokens: it was generated without logits.kind or vocab_size",
}

-- Values that are names, which an empty text is not; of numbers and lists their readers say more.
local NAMES = { FILE = true, PATH = true, NAME = true, LAYOUT = true }

-- { options of a command in full, what must be said }: every option once where its value is wrong.
local WRONG = {
  { "info --isa avx9", "--isa avx9: not in this build, which has ", "scalar" },
  { "bench --lengths 4,x", '--lengths "4,x": not whole numbers separated by commas; expected each 1..16' },
  { "bench --lengths 17", "--lengths 17: out of range, 1..16" },
  { "bench --batch x", '--batch "x": not a whole number; expected 1..1048576' },
  { "bench --seconds x", '--seconds "x": not a number; expected one from ' },
  { "bench --seconds -1", "--seconds -1: out of range, " },
  { "bench --threads x", '--threads "x": neither a whole number, 1..1024, nor all' },
  { "run --outputs outptu", '"outptu" is not an output, did you mean "output"? (output, attention' },
  { "run --step 1", "--step: this model was generated without a cache" },
  { "run --weights-check all", "--weights-check all: expected strict, finite or strict,finite" },
  { "run --weights-layout torch", "--weights-layout torch: no layout of this model" },
  { "run --trust-weights", "--trust-weights is for a file that pack made; ", " is not one" },
  { "check --rtol x", '--rtol "x": not a number; expected one from 0 to ' },
  { "check --atol -1", "--atol -1: out of range, 0.." },
  { "draw --head 2", "--head 2: out of range, 0..1" },
  { "draw --batch x", '--batch "x": not a whole number; expected 0..' },
  { "run --step 4 --outputs attention", "--step: this model was generated without a cache" },
}

-- { a whole command line, what must be said }: options that contradict each other, and what is none.
local CONTRADICTING = {
  { "run --input %in --output %none", "--weights PATH is missing (or --allow-random SEED to make weights up)" },
  { "run --weights %weights --allow-random 1 --input %in --output %none", "cannot be given together" },
  { "run --allow-random x --input %in --output %none", '"x": not a whole number; expected 0..18446744073709551615' },
  { "run --allow-random 18446744073709551616 --input %in --output %none", "out of range, 0..18446744073709551615" },
  { "run --allow-random 1 --weights-layout w_o --input %in --output %none", "--allow-random reads none: leave one" },
  { "run --allow-random 1 --weights-prefix a. --input %in --output %none", "--allow-random reads none: leave one" },
  { "run --allow-random 1 --weights-check finite --input %in --output %none", "--allow-random reads none: leave one" },
  { "run --allow-random 1 --trust-weights --input %in --output %none", "--allow-random reads none: leave one" },
  { "run --weights %weights --input %in --output %in", "--output ", "would replace what --input " },
  { "generate --step 2", "generate: --step is an option of run" },
  { "info --weights w", "info: --weights is an option of pack" },
  { "pack --allow-random 1 --output out --samples texts", "--samples rounds weights of a file" },
  { "pact", 'unknown command "pact", did you mean "pack"? (there are info, inspect, pack, run, ' },
  { "help pact", 'unknown command "pact", did you mean "pack"?' },
  { "help run more", 'unexpected argument "more"' },
  { "--version more", 'unexpected argument "more"' },
  { "--verson", "unknown option --verson, did you mean --version?" },
  { "-x", "unknown option -x" },
  { "--frobnicate run", "unknown option --frobnicate" },
  { "--threads=2 run", "unknown option --threads=2; --threads is an option of commands, as in ",
    " run --threads" },
  { "--completion tcsh", "--completion tcsh: expected bash, zsh or fish" },
  { "train", 'unknown command "train" (there are info' },
  { "run stray", 'run: unexpected argument "stray"; expected only options, and their values' },
  { "inspect one two", 'inspect: unexpected argument "two"; expected one alone' },
}

-- path, expect_run: program_test.lua's; run: the same that expects nothing. %weights and %in are the fixture's.
return function(run, expect_run, expect)
  -- The options of a command as its --help lists them: { name, value or nil }.
  local function options_of(command)
    local _, help = run(command .. " --help")
    local list = {}
    for name, value in help:gmatch("\n  %-%-([%w-]+) ?(%u*%.*)") do
      list[#list + 1] = { name = name, value = value ~= "" and value or nil }
    end
    expect(#list > 0, "%s --help lists no options", command)
    return list
  end

  -- The ways in which any option may be wrong, whatever it means.
  local function test_option(command, option)
    local flag = "--" .. option.name
    if not option.value then
      expect_run(2, ("%s %s=yes"):format(command, flag), flag .. " takes no value")
      expect_run(2, ("%s %s %s"):format(command, flag, flag), flag .. " is given twice; expected it once")
      return
    end
    expect_run(2, ("%s %s"):format(command, flag), ("%s needs a value: %s %s"):format(flag, flag, option.value))
    if not option.value:find("%.%.%.$") then -- one that may be given several times
      expect_run(2, ("%s %s one %s two"):format(command, flag, flag),
        flag .. ' is given twice, "one" and "two"; expected one of them')
    end
    expect_run(2, ("%s %s %s x"):format(command, flag, flag), flag .. " needs a value, found the option " .. flag)
    if NAMES[option.value] then
      expect_run(2, ("%s %s ''"):format(command, flag), flag .. " needs a value, found an empty one")
    end
  end

  local _, page = run("--man")
  -- What is offered after these words, the last of which is being typed, after a newline.
  local function offered(words)
    return "\n" .. select(2, run("--complete " .. words))
  end

  -- What is installed beside the program says all that --help does.
  local function test_pages(command, option)
    local section = page:match(("\n%%.SS \"%s.-\n(.-)\n%%.S"):format(command)) or ""
    local shown = "\\-\\-" .. option.name:gsub("%-", "\\-") .. (option.value and ' " "' .. option.value or '"')
    expect(section:find(shown, 1, true), "the manual page of %s has no --%s", command, option.name)
    local line = ("\n--%s\t"):format(option.name)
    expect(offered(command .. " --"):find(line, 1, true), "completion of %s has no --%s", command, option.name)
    local again = offered(("%s --%s x --"):format(command, option.name)):find(line, 1, true) ~= nil
    local repeats = option.value ~= nil and option.value:find("%.%.%.$") ~= nil
    expect(again == repeats, "completion of %s has --%s again: %s", command, option.name, again)
  end

  -- What the model cannot do is listed nowhere, and refused where it is used.
  local function test_refused(command, why)
    local _, usage = run("help")
    expect(not usage:find("\n  " .. command .. " "), "help lists %s:\n%s", command, usage)
    expect(not page:find('\n.SS "' .. command, 1, true), "the manual page has %s", command)
    for _, words in ipairs { "''", "help ''" } do
      expect(not offered(words):find("\n" .. command .. "\t", 1, true), "completion has %s", command)
    end
    expect(offered(command .. " --") == "\n", "completion of %s has options", command)
    expect_run(0, command .. " --help", "Not for this model: " .. why)
    expect_run(1, ("%s %s"):format(command, COMMANDS[command]), why)
  end

  for command in pairs(COMMANDS) do
    for _, option in ipairs(options_of(command)) do
      test_option(command, option)
      if not REFUSED[command] then test_pages(command, option) end
    end
    expect(select(2, run("help " .. command)) == select(2, run(command .. " --help")),
      "help %s is not its --help", command)
    expect_run(2, command .. " --frobnicate", command .. ": unknown option --frobnicate")
  end
  for command, why in pairs(REFUSED) do test_refused(command, why) end
  expect(select(2, run("-V")) == select(2, run("--version")), "-V is not --version")
  expect(select(2, run("--completion")) == select(2, run("--completion bash")), "--completion alone is not for bash")
  expect(offered("''"):find("\ninfo\t"), "completion has no info")
  expect(offered("info --isa ''"):find("\nscalar\t"), "completion has no instruction set")
  expect_run(1, "--complete run --weights ''") -- files, which the shell knows
  expect_run(0, "--complete run --threads ''")
  for _, row in ipairs(WRONG) do
    local command, options = row[1]:match("^(%S+) (.*)$")
    expect_run(2, ("%s %s %s"):format(command, COMMANDS[command], options), row[2], row[3])
  end
  for _, row in ipairs(CONTRADICTING) do expect_run(2, row[1], row[2], row[3]) end
end
