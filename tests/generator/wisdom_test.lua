-- wisdom_test.lua: what wisdom files may say, what is said of those that are wrong, how they are merged, and which
-- entries a machine and a spec take.
local fact = dofile("tests/generator/fact.lua")
local machine = require "build.machine"
local spec = require "spec"
local wisdom = require "plan.wisdom"

local LINES = { "# a comment", "", "[wisdom]", "cpu = AuthenticAMD 25 17", "l1d = 32768", "l2 = 1048576",
  "compiler = gcc 12", "plan = 1", "isa = avx512", "spec = d_model=64 n_heads=4 seq_len=\"1..32\"", "gain = 1.034",
  "out.rows = 12", "attention.tiles = 3" }

-- The lines as a text, with other lines in place of some of them ("" leaves a line empty).
local function text_with(changes)
  local lines = {}
  for i, line in ipairs(LINES) do lines[i] = changes and changes[i] or line end
  return table.concat(lines, "\n") .. "\n"
end

local function parsed(content)
  return assert(wisdom.parse(content, "w.txt"))
end

fact.holds("an entry is read, and its text is read as the same entry", function()
  local entries = parsed(text_with())
  fact.equal(#entries, 1)
  fact.equal(entries[1].gain, 1.034)
  fact.equal(entries[1].values["out.rows"], 12)
  fact.equal(entries[1].values["attention.tiles"], 3)
  fact.equal(wisdom.text(parsed(wisdom.text(entries))), wisdom.text(entries))
end)

fact.holds("a file may have no entry", function()
  fact.equal(#parsed(""), 0)
  fact.equal(#parsed("# nothing\n"), 0)
end)

-- A line, what it is replaced by, and what is said after "w.txt, line N: ".
local WRONG = {
  { 3, "[wise]", "'[wise]'; expected name = value, or [wisdom]" },
  { 3, "", "'cpu = AuthenticAMD 25 17'; expected [wisdom]", 4 },
  { 4, "l1d = 32768", "'l1d = 32768'; expected cpu: vendor, family and model of a CPU, such as AuthenticAMD 25 17" },
  { 5, "l1d = 32K", "'l1d = 32K'; expected the bytes of the L1 data cache" },
  { 8, "plan = new", "'plan = new'; expected the revision of the plan" },
  { 10, "[wisdom]", "'[wisdom]'; expected spec" },
  { 11, "out.rows = 3", "'out.rows = 3'; expected gain" },
  { 11, "gain = -1", "'gain = -1'; expected the time before divided by the time after, such as 1.034" },
  { 12, "rows = 3", "'rows = 3'; expected a tuning parameter, such as out.rows" },
  { 12, "out.rows = 1e3", "'out.rows = 1e3'; expected a whole number of at most six digits" },
  { 12, "out.rows = 1234567", "'out.rows = 1234567'; expected a whole number of at most six digits" },
  { 13, "out.rows = 3", "'out.rows = 3'; expected each parameter once" },
  { 13, "out.rows=3", "'out.rows=3'; expected name = value, or [wisdom]" },
  { 13, "out.rows = 3\r", "'out.rows = 3\r'; expected no control characters" },
  { 13, ("x"):rep(90), "'" .. ("x"):rep(57) .. "...'; expected name = value, or [wisdom]" },
}

fact.holds("a wrong line is refused by its number, what was found and what was expected", function()
  for _, case in ipairs(WRONG) do
    local entries, why = wisdom.parse(text_with({ [case[1]] = case[2] }), "w.txt")
    fact.equal(entries, nil)
    fact.equal(why, ("w.txt, line %d: %s"):format(case[4] or case[1], case[3]))
  end
end)

fact.holds("a file that ends within an entry, or repeats a key, is refused", function()
  local _, why = wisdom.parse("[wisdom]\ncpu = x\n", "w.txt")
  fact.equal(why, "w.txt: the file ends within an entry; expected l1d")
  _, why = wisdom.parse(text_with() .. text_with(), "w.txt")
  fact.equal(why, "w.txt, line 16: repeats the entry of line 3; expected one for each key")
end)

fact.holds("random bytes and damaged files are refused or read, and are no error of Lua", function()
  local whole, state = text_with(), 1
  local function random(n)
    state = state * 16807 % 2147483647
    return state % n
  end
  for _ = 1, 500 do
    local at = random(#whole) + 1
    local content = whole:sub(1, at - 1) .. string.char(random(256)) .. whole:sub(at + random(3))
    local entries, why = wisdom.parse(content, "w.txt")
    assert(entries or type(why) == "string")
  end
end)

fact.holds("a file that is too long is refused", function()
  local _, why = wisdom.parse(("#\n"):rep(600000), "w.txt")
  fact.equal(why, "w.txt: has 1200000 bytes; expected at most 1048576")
end)

-- -- Merging ----------------------------------------------------------------------------------------------------------

local function one(gain, rows, cpu)
  return parsed(text_with({ [4] = "cpu = " .. (cpu or "A 1 2"), [11] = ("gain = %.3f"):format(gain),
    [12] = "out.rows = " .. rows }))
end

fact.holds("of two entries with one key the one that gains more is kept, else the first", function()
  local function rows(...) return wisdom.merge({ ... })[1].values["out.rows"] end
  fact.equal(rows(one(1.1, 5), one(1.2, 6)), 6)
  fact.equal(rows(one(1.2, 6), one(1.1, 5)), 6)
  fact.equal(rows(one(1.1, 5), one(1.1, 6)), 5)
end)

fact.holds("entries of different keys are all kept, in order", function()
  local merged = wisdom.merge({ one(1.1, 5), one(1.2, 6, "B 1 2"), one(1.0, 7) })
  fact.equal(#merged, 2)
  fact.equal(merged[1].cpu .. ", " .. merged[2].cpu, "A 1 2, B 1 2")
  fact.equal(merged[1].values["out.rows"], 5)
end)

-- -- Choosing ---------------------------------------------------------------------------------------------------------

local HERE = { cpu = "AuthenticAMD 25 17", l1d = "32768", l2 = "1048576", compiler = "gcc 12" }

local function taken(changes, here)
  return #wisdom.of_machine(parsed(text_with(changes)), here or HERE)
end

fact.holds("a machine takes the wisdom of its CPU, caches, compiler and generator", function()
  fact.equal(taken(), 1)
  fact.equal(taken({ [4] = "cpu = AuthenticAMD 25 1" }), 0)
  fact.equal(taken({ [5] = "l1d = 49152" }), 0)
  fact.equal(taken({ [6] = "l2 = 524288" }), 0)
  fact.equal(taken({ [7] = "compiler = clang 14" }), 0)
  fact.equal(taken({ [8] = "plan = 99" }), 0)
end)

fact.holds("the wisdom of a named CPU is taken whatever its caches", function()
  local named = { cpu = "X 1 2", compiler = "gcc 12", cpu_only = true }
  fact.equal(taken({ [4] = "cpu = X 1 2", [5] = "l1d = 1" }, named), 1)
  fact.equal(taken({ [4] = "cpu = X 1 3" }, named), 0)
end)

fact.holds("a spec takes the entry that has its fields, whatever its name", function()
  local small = assert(spec.from_fields({ name = "other", d_model = 64, n_heads = 4, seq_len = "1..32" }))
  fact.equal(wisdom.spec_key(small), "d_model=64 n_heads=4 seq_len=\"1..32\"")
  fact.equal(wisdom.of_spec(parsed(text_with()), small).avx512["out.rows"], 12)
  local large = assert(spec.from_fields({ d_model = 128, n_heads = 4, seq_len = "1..32" }))
  fact.equal(wisdom.of_spec(parsed(text_with()), large), nil)
end)

fact.holds("entries of two machines for one set are refused", function()
  local small = assert(spec.from_fields({ d_model = 64, n_heads = 4, seq_len = "1..32" }))
  local chosen, why = wisdom.of_spec(wisdom.merge({ one(1.1, 5), one(1.2, 6, "B 1 2") }), small)
  fact.equal(chosen, false)
  fact.equal(why, "two entries of wisdom are for avx512: of A 1 2, L1d 32768, L2 1048576, gcc 12, " ..
    "and of B 1 2, L1d 32768, L2 1048576, gcc 12; expected those of one machine")
end)

fact.holds("a CPU is named by vendor, family and model, or by an Arm core's implementer and part", function()
  local info = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\nmodel name\t: x\n"
  fact.equal(machine.cpu(info), "AuthenticAMD 25 17")
  fact.equal(machine.cpu("processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"), "0x41 0xd0c")
  fact.equal(machine.cpu(""), "unknown")
end)

fact.finish()
