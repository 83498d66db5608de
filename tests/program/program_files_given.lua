-- program_files_given.lua: files that users give, by what they are: other formats, other types of floats, pipes, and
-- names that would steer a terminal; a part of program_test.lua. Which bytes tell a format is in test_weights_files.c.
local files = require "program_files"
local tensor = files.tensor

local D = 8 -- of the fixture
local RUN = "run --weights %weights --input %in --output %result"

-- path, run, expect_run, expect: program_test.lua's. %weights are the fixture's.
return function(path, run, expect_run, expect)
  local function row(i) return math.floor(i / D) end

  local function write_text(name, text)
    local out = assert(io.open(path(name), "wb"))
    out:write(text)
    out:close()
  end

  -- What the program writes is the same whatever type of float the inputs came in, and so is what it compares with.
  local function test_types()
    local function inputs(dtype)
      return { tensor("query", dtype, { 2, 3, D }, row),
        tensor("key", dtype, { 2, 4, D }, function(i) return i % 5 end),
        tensor("value", dtype, { 2, 4, D }, function(i) return i % 7 - 2 end) }
    end
    files.write(path "in", inputs("F32"))
    expect_run(0, RUN)
    local expected = files.slurp(path "result")
    for _, dtype in ipairs { "F16", "BF16", "F64" } do
      files.write(path "in", inputs(dtype))
      expect_run(0, RUN)
      expect(files.slurp(path "result") == expected, "inputs of %s give other bytes than of F32", dtype)
    end
    files.write(path "in", { tensor("query", "F32", { 4, D }, row) })
    for _, dtype in ipairs { "F16", "BF16", "F64" } do
      files.write(path "expected", { tensor("output", dtype, { 4, D }, 1.5) })
      expect_run(0, "check --weights %weights --input %in --expected %expected", "ok: 1 of 1 tensors agree")
      files.write(path "expected", { tensor("output", dtype, { 4, D }, 1.75) })
      expect(run("check --weights %weights --input %in --expected %expected") == 1, "%s: 1.5 is no 1.75", dtype)
    end
    files.write(path "expected", { tensor("output", "I32", { 4, D }, 1) })
    expect_run(1, "check --weights %weights --input %in --expected %expected", "is I32 [4, 8]; expected F32, F16, BF16")
  end

  -- Wherever a file of tensors is asked for, a file of another format is told by what it is.
  local function test_formats()
    write_text("array.safetensors", "\147NUMPY\1\0v\0{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n")
    local commands = { "inspect %array.safetensors", "run --weights %array.safetensors --input %in --output %result",
      "run --weights %weights --input %array.safetensors --output %result",
      "check --weights %weights --input %in --expected %array.safetensors",
      "pack --weights %array.safetensors --output %result" }
    for _, command in ipairs(commands) do
      expect_run(1, command, path "array.safetensors" .. ": byte 0: this is a NumPy array (.npy); expected safetensors")
    end
    assert(os.execute("mkdir -p " .. path "pickled"))
    write_text("pickled/pytorch_model.bin", "")
    expect_run(1, "inspect %pickled", "expected model.safetensors, or ", "such as pytorch_model.bin, are not read")
  end

  -- Labels from a pipe, which are read to its end; from one that nobody writes to, which is not waited for.
  local function test_pipes()
    files.write(path "in", { tensor("query", "F32", { 4, D }, row) })
    assert(os.execute("mkfifo " .. path "silent " .. path "spoken"))
    local draw = "draw --weights %weights --input %in --output %drawn.svg --tokens "
    for _, pipe in ipairs { "/dev/stdin", "%spoken" } do
      local writer = pipe == "%spoken" and "{ printf 'a\\nb\\nc\\nd\\n' >%spoken & }; " or ""
      local before = pipe == "/dev/stdin" and "printf 'a\\nb\\nc\\nd\\n' | " or ""
      local code, _, err = run(draw .. pipe, before, writer)
      expect(code == 0, "labels from %s: exit %s\n%s", pipe, tostring(code), err)
    end
    expect_run(1, draw .. "%silent", "silent: cannot be read: a pipe that nobody writes to; expected a file")
    expect_run(1, draw .. "/", "/: cannot be read: a directory; expected a file of text")
    for _, option in ipairs { "weights", "input" } do
      local command = RUN:gsub("%-%-" .. option .. " %S+", "--" .. option .. " %%silent")
      expect_run(1, command, "silent: a pipe or device; expected a regular file")
    end
    expect_run(1, "check --weights %weights --input %in --expected %silent", "silent: a pipe or device; expected")
    expect_run(1, "inspect %silent", "silent: a pipe or device; expected")
  end

  -- Names and paths are shown so that nothing in them reaches the terminal: what is escaped, and how it is shown.
  local UNSEEN = {
    { "\27[2J", [[\x1b[2J]] }, { "\127", [[\x7f]] }, { "\194\155", [[\xc2\x9b]] }, -- escape, delete, a control
    { "\226\128\174", [[\xe2\x80\xae]] }, { "\226\129\166", [[\xe2\x81\xa6]] }, -- right to left, an isolate
    { "\226\128\139", [[\xe2\x80\x8b]] }, { "\239\187\191", [[\xef\xbb\xbf]] }, -- no width, a byte order mark
    { "\243\160\129\129", [[\xf3\xa0\x81\x81]] }, { "\255", [[\xff]] },         -- a tag, what is no UTF-8
  }

  local function expect_shown(what, said, raw, shown)
    expect(not said:find(raw, 1, true), "%s: %s reached the terminal", what, shown)
    expect(said:find(shown, 1, true), "%s: no %s in\n%s", what, shown, said)
  end

  local function test_names()
    for _, unseen in ipairs(UNSEEN) do
      local raw, shown = unseen[1], unseen[2]
      local name = "n" .. raw .. "m"
      local quoted = "'" .. path(name) .. "'"
      expect_shown("--output", (expect_run(0, "run --weights %weights --input %in --output " .. quoted)), raw, shown)
      expect_shown("pack", (expect_run(0, "pack --weights %weights --output " .. quoted)), raw, shown)
      local _, err = expect_run(1, "inspect " .. quoted .. ".none")
      expect_shown("a path in an error", err, raw, shown)
      _, err = expect_run(2, "run '--" .. name .. "'")
      expect_shown("an option", err, raw, shown)
      if raw:byte() > 127 and raw ~= "\255" and raw ~= "\194\155" then -- what a header may hold
        files.write(path "named", { tensor(name, "F32", { 1 }, 0) })
        expect_shown("inspect", (expect_run(0, "inspect %named")), raw, shown)
        local out = expect_run(0, "inspect %named --json")
        expect(not out:find(raw, 1, true), "inspect --json: %s reached the terminal", shown)
        _, err = expect_run(1, "run --weights %weights --input %named --output %result")
        expect_shown("an input", err, raw, shown)
      end
    end
    local out = expect_run(0, "run --weights %weights --input %in --output '" .. path "Käse-文" .. "'")
    expect(out:find("Käse-文", 1, true), "letters of other scripts are shown as they are: %s", out)
    os.execute(("cp %s '%s'; '%s' frob 2>%s"):format(path "weights", path "w\255", path "w\255", path "err"))
    local json = expect_run(0, "inspect --json '" .. path "w\255" .. "'")
    expect(json:find([[w\\xff"]], 1, true), "a path that is no UTF-8, as JSON: %s", json)
  end

  -- One output as one array of NumPy; more than one are refused.
  local function test_run_numpy()
    files.write(path "in", { tensor("query", "F32", { 2, 4, D }, row) })
    expect_run(0, "run --weights %weights --input %in --output %result --outputs attention")
    local run_numpy = "run --weights %weights --input %in --output %result.npy "
    expect_run(0, run_numpy .. "--outputs attention", "result.npy: attention F32 [2, 2, 4, 4]")
    local numbers = 2 * 2 * 4 * 4 * 4
    local header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 4, 4), }"
    local bytes = "\147NUMPY\1\0\118\0" .. header .. (" "):rep(117 - #header) .. "\n"
    expect(files.slurp(path "result.npy") == bytes .. files.slurp(path "result"):sub(-numbers), "not as numpy.save")
    expect_run(2, run_numpy, "a file of NumPy holds one array, and there are 2 outputs; --outputs NAME chooses one")
    for _, name in ipairs { "result.csv", "result.npz", "result.safetensors.gz", ".hidden.NPY" } do
      expect_run(2, "run --weights %weights --input %in --output %" .. name, name .. ": ." .. name:match("%w+$") ..
        " is not a format that this command writes; expected .safetensors or .npy, or no ending, which is safetensors")
    end
  end

  test_types()
  test_run_numpy()
  test_formats()
  test_pipes()
  test_names()
end
