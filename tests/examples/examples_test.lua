-- examples_test.lua: the programs of examples/ as their users have them: compiled by themselves, as C and where that is
-- possible as C++, linked with the archive and with the shared library, and run. What they print is held against what
-- stands here; the documents' programs against the files. lua examples_test.lua CC FOLDER: FOLDER has the models.
package.path = "generator/?.lua;tests/program/?.lua;" .. package.path

local compat = require "base.compat"
local encoder_weights = dofile("tests/examples/encoder_weights.lua")
local files = require "program_files"
local fs = require "base.fs"

local cc, folder = arg[1], arg[2]
local WORK = folder .. "/run"
local STRICT = "-Wall -Wextra -Werror -pedantic"
local passed, failed = 0, 0

local function check(truth, name, ...)
  if truth then
    passed = passed + 1
  else
    failed = failed + 1
    print(("FAIL %s: "):format(name) .. table.concat({ ... }, "\n"))
  end
  return truth
end

-- Runs a command that a check hangs on; its output, or nil where it failed.
local function run(name, command)
  local output, code = compat.capture(command)
  return check(code == 0, name, command, ("exit %d"):format(code), output) and output
end

-- -- What the programs are given ------------------------------------------------------------------------------------

local function packed(model)
  return function()
    local path = ("%s/%s.gap"):format(WORK, model)
    run(path, ("%s/bin/%s pack --allow-random 1 --output %s"):format(folder, model, path))
    return path
  end
end

local function made_up()
  local path = WORK .. "/encoder.safetensors"
  encoder_weights(path, run("the encoder's weights", folder .. "/bin/encoder info --json") or "")
  return path
end

-- A tensor of what the program of a model makes of these inputs.
local function program_output(model, weights, inputs, name)
  local input, output = WORK .. "/in.safetensors", WORK .. "/out.safetensors"
  files.write(input, inputs)
  run("a run to compare with", ("%s/bin/%s run --weights %s --input %s --output %s"):format(folder, model, weights,
    input, output))
  return files.read(output)[name].values
end

-- What packed.c prints, of the same rows.
local function first_row(weights)
  local rows = files.tensor("query", "F32", { 20, 512 }, function(i) return i % 7 - 3 end)
  local values = program_output("mha_512_8", weights, { rows }, "output")
  return ("begins with %.4f %.4f %.4f\n"):format(values[1], values[2], values[3])
end

-- What embed.c prints, of the same tokens.
local function cosines(weights)
  local tokens = { 5, 17, 42, 8, 0, 0, 5, 17, 42, 8, 99, 99, 61, 3, 3, 29, 70, 11 }
  local values = program_output("encoder", weights, { files.tensor("tokens", "I32", { 3, 6 }, tokens),
    files.tensor("lengths", "I32", { 3 }, { 4, 4, 6 }) }, "embedding")
  local found = {}
  for other = 1, 2 do
    found[other] = 0
    for i = 1, 64 do found[other] = found[other] + values[i] * values[64 * other + i] end
  end
  check(found[1] > 0.99999 and math.abs(found[2]) < 0.9, "embeddings", ("cosines %g and %g"):format(found[1], found[2]))
  return ("cosine of sequence 1 with 2: %.4f, with 3: %.4f\n"):format(found[1], found[2])
end

-- -- The programs ---------------------------------------------------------------------------------------------------

-- given: makes the argument. says: what it prints, or makes that of the argument. more: libraries before the model's
-- and after it. layer's numbers are those of the same layer computed by NumPy in double precision.
local EXAMPLES = {
  { name = "layer", model = "mha_512_8", says = "begins with 0.0552 0.0440 0.0128\n", cxx = true },
  { name = "packed", model = "mha_512_8", given = packed "mha_512_8", says = first_row },
  { name = "threads", model = "mha_512_8", given = packed "mha_512_8", says = "4 threads and 1: the same bits\n" },
  { name = "batches", model = "mha_512_8", given = packed "mha_512_8",
    says = "40 calls by 4 threads and 1: the same bits\n" },
  { name = "decode", model = "decoder", given = packed "decoder",
    says = "the cache holds 50 rows\nrow by row and all at once: the same bits\n" },
  { name = "embed", model = "encoder", given = made_up, says = cosines,
    more = { "out/lib/libga_weights.a", "-ljansson" } },
}

-- Ways to build one: what the name of the program ends with, how the compiler is called, what it links.
local WAYS = {
  { name = "static", flags = "-std=c11", library = "%s/lib/lib%s.a" },
  { name = "shared", flags = "-std=c11", library = "-L%s/lib -l%s", rpath = true },
  { name = "cxx", flags = "-std=c++11 -x c++", library = "-x none %s/lib/lib%s.a", cxx = true },
}

-- Whether this compiler's C++ is installed: it is another package.
local function has_cxx()
  local path = WORK .. "/probe"
  assert(fs.write_if_changed(path .. ".cpp", "int main() { return 0; }\n") ~= nil)
  local has = compat.execute(("%s -o %s %s.cpp >/dev/null 2>&1"):format(cc, path, path))
  if not has then print("skipped: " .. cc .. " compiles no C++ here (Debian: g++)") end
  return has
end

local function build(example, way)
  local path = ("%s/%s_%s"):format(WORK, example.name, way.name)
  local more, library = example.more or { "", "" }, way.library:format(folder, example.model)
  local command = ("%s %s %s -I%s/include -Iout/include -o %s examples/%s.c %s %s %s -lm -pthread"):format(cc,
    way.flags, STRICT, folder, path, example.name, more[1], library, more[2])
  if way.rpath then command = ("%s -Wl,-rpath,\"$PWD/%s/lib\""):format(command, folder) end
  return run(path, command) and path
end

-- One that is given a file says in a sentence what is wrong with another, and so without one.
local function check_refusals(example, program)
  if not example.given then return end
  for _, case in ipairs { { "", 2, "usage: " .. example.name }, { WORK .. "/nothing", 1, "No such file" } } do
    local output, code = compat.capture(program .. " " .. case[1])
    check(code == case[2] and output:find(case[3], 1, true), program, ("exit %d with '%s': %s"):format(code, case[1],
      output))
  end
end

-- mha_512_8_run in a shared library refuses weights of a program that has a copy of mha_512_8_model, which position
-- dependent code has. Told by what the program says, so that the test counts from the day on which it is mended.
local COPIED = "layer: an argument is missing or out of range\n"

-- What a built program printed, or nil where that is no use.
local function output_of(way, program, given)
  local output, code = compat.capture(program .. " " .. given)
  if way.rpath and code == 1 and output == COPIED then
    print("skipped: " .. program .. ": the library refuses a program's copy of the model")
    return nil
  end
  return check(code == 0, program, ("exit %d"):format(code), output) and output
end

local function check_example(example)
  local given = example.given and example.given() or ""
  local cxx = example.cxx and has_cxx()
  local says = type(example.says) == "function" and example.says(given) or example.says
  for _, way in ipairs(WAYS) do
    local program = (not way.cxx or cxx) and build(example, way)
    local output = program and output_of(way, program, given)
    if output then check(output:find(says, 1, true), program, "printed " .. output, "expected " .. says) end
    if output and not way.cxx then check_refusals(example, program) end
  end
end

-- -- The documents --------------------------------------------------------------------------------------------------

-- The README's block that begins with this line is lines of the file, within a function and so indented as far.
local function check_excerpt(document, path, first)
  local text = assert(fs.read(document)) .. "\n"
  local from = text:find("\n    " .. first, 1, true)
  local stop = from and text:find("\n\n%S", from)
  local excerpt = stop and text:sub(from, stop)
  check(excerpt and assert(fs.read(path)):find(excerpt, 1, true), document,
    ("it does not hold lines of %s from %q on"):format(path, first))
end

local function check_quote(document, path)
  local quoted = assert(fs.read(path)):gsub("[^\n]+", "    %0")
  check(assert(fs.read(document)):find("\n\n" .. quoted .. "\n", 1, true), document,
    ("it does not hold %s as the file is, each line after four blanks"):format(path))
end

assert(compat.execute("rm -rf " .. WORK .. " && mkdir -p " .. WORK))
for _, example in ipairs(EXAMPLES) do check_example(example) end
check_quote("docs/c-api.md", "examples/layer.c")
check_excerpt("README.md", "examples/layer.c", "const struct ga_variant")
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0)
