-- program_test.lua: the command line as its user meets it: exit codes, messages, files.
-- Numbers of kernels are not tested here: of the fixture's only what zero scores make exact.
--
-- lua tests/program/program_test.lua FIXTURE STACK_FIXTURE MODELS [PROGRAM...]: the whole of it against
-- program_fixture.c and program_stack_fixture.c, what whole models say against those in the folder MODELS (-: there are
-- none), and what every program must do against each further one.

local here = arg[0]:match("^(.*)/[^/]*$") or "."
package.path = here .. "/?.lua;" .. package.path
local files = require "program_files"
local tensor = files.tensor

local failures, checks = 0, 0
local dir = os.tmpname()
os.remove(dir)
assert(os.execute("mkdir " .. dir))

local function path(name) return dir .. "/" .. name end

local function expect(truth, ...)
  checks = checks + 1
  if not truth then
    failures = failures + 1
    print("FAIL " .. string.format(...))
  end
end

local program = arg[1]

-- Runs the program with args where %NAME stands for a file of the test's own folder; returns exit code, stdout, stderr.
-- feeding, writing: words of sh before the program, of a pipe into it and of what runs meanwhile.
local function run(args, feeding, writing)
  local command = ((writing or "") .. (feeding or "") .. program .. " " .. args):gsub("%%([%w_.]+)", path)
  os.execute(("program=%s; { %s; } >%s 2>%s; echo $? >%s"):format(program, command, path "out", path "err",
    path "code")) -- words of sh in args may name the program too
  return tonumber(files.slurp(path "code")), files.slurp(path "out"), files.slurp(path "err")
end

-- Runs and expects the exit code, and each further text in what was said: on stdout for 0, on stderr otherwise.
local function expect_run(code, args, ...)
  local got, out, err = run(args)
  expect(got == code, "%s %s: exit %s, expected %d\n%s%s", program, args, tostring(got), code, out, err)
  local said = code == 0 and out or err
  for _, text in ipairs { ... } do
    expect(said:find(text, 1, true), "%s %s: no \"%s\" in\n%s", program, args, text, said)
  end
  return out, err
end

local function expect_values(what, found, shape, wanted)
  expect(found ~= nil, "%s: not in the file", what)
  if not found then return end
  expect(found.shape == shape, "%s: shape [%s], expected [%s]", what, found.shape, shape)
  for i, value in ipairs(found.values) do
    if value ~= wanted(i - 1) then
      expect(false, "%s: element %d is %.9g, expected %.9g", what, i - 1, value, wanted(i - 1))
      return
    end
  end
  checks = checks + 1
end

-- -- The fixture: d_model 8, 2 heads, lengths 1..16, vocabulary 10 --------------------------------------------------

local D = 8
local function identity(i) return i % (D + 1) == 0 and 1 or 0 end

-- Zero queries and keys, values as they are: every output row is the mean of the keys' rows, exactly so for 1, 2 or 4
-- keys.
local function write_weights()
  local embedding = tensor("embedding.weight", "F32", { 10, D }, function(i) return math.floor(i / D) end)
  local zero_bias, list = 0, { embedding }
  for _, name in ipairs { "w_q", "w_k", "w_v", "w_o" } do
    local whole = name == "w_v" or name == "w_o"
    list[#list + 1] = tensor(name .. ".weight", "F32", { D, D }, whole and identity or 0)
    list[#list + 1] = tensor(name .. ".bias", "F32", { D }, zero_bias)
  end
  files.write(path "weights", list)
  files.write(path "stacked", {
    embedding,
    tensor("in_proj_weight", "F32", { 3 * D, D }, function(i)
      return i < 2 * D * D and 0 or identity(i - 2 * D * D)
    end),
    tensor("in_proj_bias", "F32", { 3 * D }, 0),
    tensor("out_proj.weight", "F32", { D, D }, identity),
    tensor("out_proj.bias", "F32", { D }, 0),
  })
  table.remove(list, 4)
  files.write(path "lacking", list)
end

local function row(i) return math.floor(i / D) end
local function mean_of_four(i) return math.floor(i / (4 * D)) * 4 + 1.5 end

local function test_run()
  files.write(path "in", { tensor("query", "F32", { 2, 4, D }, row) })
  for _, weights in ipairs { "%weights", "%stacked", "%stacked --weights-layout torch_mha" } do
    expect_run(0, "run --input %in --output %result --weights " .. weights, "output F32 [2, 4, 8]")
    local result = files.read(path "result")
    expect_values("output", result.output, "2,4,8", mean_of_four)
    expect_values("attention", result.attention, "2,2,4,4", function() return 0.25 end)
  end
  expect_run(0, "run --weights %weights --input %in --output %result --outputs output")
  expect(files.read(path "result").attention == nil, "--outputs output wrote attention too")

  files.write(path "in", { tensor("query", "F32", { 4, D }, row) })
  expect_run(0, "run --weights %weights --input %in --output %result")
  expect_values("output of one sequence", files.read(path "result").output, "4,8", mean_of_four)
end

local function test_keys_and_lengths()
  files.write(path "in", {
    tensor("query", "F32", { 2, 3, D }, 0), tensor("key", "F32", { 2, 5, D }, 7),
    tensor("value", "F32", { 2, 5, D }, row), tensor("kv_lengths", "I64", { 2 }, { 2, 1 }),
    tensor("q_lengths", "I32", { 2 }, { 3, 1 }),
  })
  expect_run(0, "run --weights %weights --input %in --output %result")
  local result = files.read(path "result")
  expect_values("output", result.output, "2,3,8", function(i)
    local place = math.floor(i / D)
    return place < 3 and 0.5 or place == 3 and 5 or 0
  end)
  expect(result.attention.shape == "2,2,3,5", "attention is [%s]", result.attention.shape)
end

local function test_tokens()
  files.write(path "in", {
    tensor("tokens", "I64", { 2, 4 }, { 1, 2, 3, 4, 9, -100, -100, -100 }),
    tensor("q_lengths", "I64", { 2 }, { 4, 1 }),
  })
  expect_run(0, "run --weights %weights --input %in --output %result")
  expect_values("output", files.read(path "result").output, "2,4,8", function(i)
    return i < 4 * D and 2.5 or i < 5 * D and 9 or 0
  end)
end

-- What an input file may be wrong in: its tensors, and what the message must say.
local function test_refused_inputs()
  local query = tensor("query", "F32", { 2, 4, D }, 0)
  local refused = {
    { { tensor("qeury", "F32", { 4, D }, 0) }, '"qeury"', 'did you mean "query"?' },
    { { tensor("x", "F32", { 4, D }, 0) }, '"x": this model takes none, it is one attention layer; give query' },
    { { query, tensor("masks", "F32", { 4, 4 }, 0) }, '"masks" is not an input of this model', 'did you mean "mask"?' },
    { { query, tensor("mask", "F32", { 4, 4 }, 0) }, '"mask" is F32 [4, 4]; expected BOOL, U8, I32 or I64 [4, 4], ' ..
      "[2, 4, 4] or [2, 2, 4, 4], or 1 along an axis" },
    { { query, tensor("mask", "I32", { 4, 5 }, 0) }, '"mask" is I32 [4, 5]; expected', "[4, 4]" },
    { { query, tensor("mask", "I32", { 3, 4, 4 }, 0) }, '"mask" is I32 [3, 4, 4]; expected' },
    { { query, tensor("mask", "I32", { 4 }, 0) }, '"mask" is I32 [4]; expected' },
    { { tensor("key", "F32", { 4, D }, 0) }, 'no tensor "query" or "tokens"' },
    { { tensor("query", "F32", { 2, 4, 7 }, 0) }, "F32 [2, 4, 7]", "BF16 or F64 [batch, 1..16, 8] or [1..16, 8]" },
    { { tensor("query", "I32", { 4, D }, 0) }, "I32 [4, 8]", "expected F32" },
    { { tensor("query", "F32", { 1, 17, D }, 0) }, "[1, 17, 8]", "1..16" },
    { { tensor("query", "F32", { 0, 4, D }, 0) }, "[0, 4, 8]", "expected" },
    { { query, tensor("key", "F32", { 3, 4, D }, 0) }, '"key" is F32 [3, 4, 8]', "BF16 or F64 [2, 1..16, 8]" },
    { { query, tensor("value", "F32", { 2, 4, D }, 0) }, '"value" without "key"' },
    { { query, tensor("key", "F32", { 2, 5, D }, 0), tensor("value", "F32", { 2, 4, D }, 0) },
      '"value"', "expected F32, F16, BF16 or F64 [2, 5, 8]" },
    { { query, tensor("tokens", "I32", { 2, 4 }, 0) }, "cannot both be given" },
    { { tensor("tokens", "I32", { 2, 4 }, 0), tensor("key", "F32", { 2, 4, D }, 0) }, '"key" is given with "tokens"' },
    { { tensor("tokens", "I32", { 2, 4 }, { 0, 0, 0, 0, 0, 0, 10, 0 }) },
      '"tokens": element [1, 2] is 10; expected 0..9' },
    { { tensor("tokens", "F32", { 2, 4 }, 0) }, "expected I32 or I64 [batch, 1..16]" },
    { { query, tensor("kv_lengths", "I64", { 2 }, { 4, 5 }) }, '"kv_lengths": element [1] is 5; expected 0..4' },
    { { query, tensor("q_lengths", "I32", { 2 }, { -1, 4 }) }, "element [0] is -1; expected 0..4" },
    { { query, tensor("q_lengths", "I32", { 3 }, 0) }, "I32 [3]; expected I32 or I64 [2]" },
  }
  for _, case in ipairs(refused) do
    files.write(path "in", case[1])
    os.remove(path "result")
    local _, err = expect_run(1, "run --weights %weights --input %in --output %result", path "in", case[2], case[3])
    expect(not io.open(path "result"), "an output was written after %s", err)
  end
end

local function test_refused_weights()
  files.write(path "in", { tensor("query", "F32", { 4, D }, 0) })
  expect_run(1, "run --weights %lacking --input %in --output %result", path "lacking", "w_k.weight")
  expect_run(1, "run --weights %nowhere --input %in --output %result", path "nowhere")
  expect_run(1, "run --weights %weights --input %in --output %nowhere/result", "nowhere")
  expect_run(1, "run --weights %weights --weights-layout torch_mha --input %in --output %result", "in_proj_weight")
  expect_run(2, "run --weights %weights --weights-layout torch_mah --input %in --output %result", '"torch_mha"?')
  expect_run(1, "run --weights %weights --isa future --input %in --output %result", "future")
end

local function test_random_weights()
  files.write(path "in", { tensor("query", "F32", { 4, D }, row) })
  local function result(seed)
    local _, err = expect_run(0, "run --allow-random " .. seed .. " --input %in --output %result")
    expect(err:find("seed " .. seed, 1, true), "nothing said of random weights: %s", err)
    return files.slurp(path "result")
  end
  local first = result(1)
  expect(first == result(1), "the same seed gave other weights")
  expect(first ~= result(2), "another seed gave the same weights")
  expect_run(2, "run --allow-random x --input %in --output %result", "allow-random", "not a whole number")
  expect_run(2, "run --allow-random 1 --weights %weights --input %in --output %result", "together")
  expect_run(2, "run --input %in --output %result", "--weights")
end

-- Batches of fewer, as many and more sequences than threads; the fixture does a sequence a thread.
local function test_threads()
  for batch = 1, 5 do
    files.write(path "in", { tensor("query", "F32", { batch, 4, D }, function(i) return i * 37 % 101 / 64 - 0.75 end) })
    expect_run(0, "run --weights %weights --input %in --output %one")
    for _, threads in ipairs { "1", "2", "3", "all" } do
      local _, err = expect_run(0, "run --weights %weights --input %in --output %several --threads " .. threads)
      expect(files.slurp(path "one") == files.slurp(path "several"), "%s threads gave other bytes", threads)
      expect(threads == "all" or (err:find("fixture: " .. threads .. " threads", 1, true) ~= nil) == (threads ~= "1"),
        "--threads %s did not reach the call:\n%s", threads, err)
      expect_run(0, "check --weights %weights --input %in --expected %one --rtol 0 --atol 0 --threads " .. threads,
        "ok: 2 of 2")
    end
  end
  local _, err = expect_run(0, "run --weights %weights --input %in --output %several --threads 1024")
  expect(err:find("1024 threads have %d+ CPU"), "more threads than CPUs pass in silence:\n%s", err)
end

local check = "check --weights %weights --input %in --expected %expected"

local function test_check()
  files.write(path "in", { tensor("query", "F32", { 2, 4, D }, row) })
  local attention = tensor("attention", "F32", { 2, 2, 4, 4 }, 0.25)
  local output = tensor("output", "F32", { 2, 4, D }, mean_of_four)
  files.write(path "expected", { output, attention })
  expect_run(0, check, "ok: 2 of 2 tensors agree", "attention [2, 2, 4, 4]")
  files.write(path "expected", { tensor("output", "F64", { 2, 4, D }, mean_of_four) })
  expect_run(0, check .. " --rtol 0 --atol 0", "ok: 1 of 1")

  output.values[44] = 5.625
  files.write(path "expected", { output, attention })
  local code, out = run(check)
  expect(code == 1, "a wrong value passed: exit %d", code)
  for _, text in ipairs { "output [2, 4, 8]: MISMATCH, 1 of 64", "max abs diff 0.125", "max rel diff 0.0222",
                          "worst at [1, 1, 3]: found 5.5, expected 5.625", "MISMATCH: 1 of 2 tensors agree" } do
    expect(out:find(text, 1, true), "check does not say \"%s\":\n%s", text, out)
  end
  expect_run(0, check .. " --atol 0.126 --rtol 0", "ok: 2 of 2")
  expect_run(1, check .. " --atol 0.124 --rtol 0")
  expect_run(0, check .. " --atol 0 --rtol 0.0223", "ok: 2 of 2")
end

local function test_check_nan()
  files.write(path "in", { tensor("query", "F32", { 1, D }, function(i) return i == 3 and 0 / 0 or 1 end) })
  files.write(path "expected", { tensor("output", "F32", { 1, D }, 0 / 0) })
  expect_run(1, check)
  expect_run(0, check .. " --equal-nan", "ok: 1 of 1")
  files.write(path "in", { tensor("query", "F32", { 1, D }, 1) })
  expect_run(1, check .. " --equal-nan")
end

local function test_check_refusals()
  files.write(path "in", { tensor("query", "F32", { 4, D }, 0) })
  files.write(path "expected", { tensor("embedding", "F32", { 4, D }, 0) })
  expect_run(1, check, path "expected", '"embedding": this model is one attention layer')
  expect_run(1, "embed --weights %weights --tokens %in --output %result", "is not an encoder")
  files.write(path "expected", { tensor("outptu", "F32", { 4, D }, 0) })
  expect_run(1, check, path "expected", '"outptu" is not an output', 'did you mean "output"?')
  files.write(path "expected", { tensor("output", "F32", { 4, 7 }, 0) })
  expect_run(1, check, path "expected", "F32 [4, 7]; expected F32, F16, BF16 or F64 [4, 8], as the model gives")
  files.write(path "expected", {})
  expect_run(1, check, "nothing to compare")
  expect_run(2, check .. " --rtol -1", "--rtol -1: out of range")
  expect_run(2, check .. " --atol 1e-5x", "not a number")
end

local function test_inspect()
  files.write(path "in", { tensor("b.weight", "F32", { 2, 3 }, 1), tensor("a", "I64", {}, 5) })
  local out = expect_run(0, "inspect %in", "2 tensors, 32 bytes")
  expect(out:find("b.weight  F32   [2, 3]", 1, true), "no line for b.weight in\n%s", out)
  expect_run(0, "inspect %in --json", '"name": "b.weight"', '"bytes": 32')
  expect_run(0, "inspect %stacked", "weights of fixture, layout torch_mha")
  local cut = assert(io.open(path "cut", "wb"))
  cut:write(files.slurp(path "in"):sub(1, -2))
  cut:close()
  local short = expect_run(1, "inspect %cut", path "cut")
  expect(short == "", "a broken file was listed:\n%s", short)
end

local draw = require "program_draw"(path, expect_run, expect)
local bench = require "program_bench"(path, expect_run, expect)
local pack = require "program_pack"(path, run, expect_run, expect)

-- -- What every program must do -------------------------------------------------------------------------------------

local function test_usage()
  local help = expect_run(0, "help", "info", "inspect", "pack", "run", "check", "bench")
  expect(help == expect_run(0, "--help"), "--help is not help")
  expect_run(0, "--version", "genattn")
  for _, command in ipairs { "info", "inspect", "pack", "run", "check", "draw", "embed", "search", "bench" } do
    expect_run(0, command .. " --help", "Usage:", "Examples:", command == "run" and "one of: " or "Exit status: 0")
  end
  expect_run(2, "", "Usage:")
  expect_run(2, "bnech", 'did you mean "bench"?')
  expect_run(2, "run --wieghts w", "did you mean --weights?", "run --help")
  expect_run(2, "run --weights", "--weights needs a value")
  expect_run(2, "run --out x", "--output, --outputs")
  expect_run(2, "run --allow-random 1 --output x", "--input FILE is missing")
  expect_run(2, "info --json=yes", "--json takes no value")
  expect_run(2, "info extra", '"extra"')
  expect_run(2, "inspect", "PATH is missing")
  expect_run(2, "'in\27[2Jfo'", [[unknown command "in\x1b[2Jfo"]])
  expect_run(1, "inspect 'no\194\155file\255'", [[no\xc2\x9bfile\xff: cannot open]])
  expect_run(2, "info --isa saclar", 'did you mean "scalar"?')
  for _, given in ipairs { "0", "-1", "x", "1x", "", "99999999999999999999999" } do
    expect_run(2, "bench --batch '" .. given .. "'", "--batch")
    expect_run(2, "bench --lengths '1," .. given .. "'", "--lengths")
  end
  expect_run(2, "bench --seconds nan", "--seconds")
  local commands = { "bench", "run --input i --output o --allow-random 1",
                     "check --input i --expected e --allow-random 1" }
  for _, command in ipairs(commands) do
    for _, given in ipairs { "0", "1025", "99999999999999999999999" } do
      expect_run(2, command .. " --threads " .. given, "--threads " .. given, "out of range, 1..1024")
    end
    for _, given in ipairs { "-1", "x", "2x", "", "ALL" } do
      expect_run(2, command .. " --threads '" .. given .. "'", '"' .. given .. '": neither a whole number, 1..1024')
    end
  end
  expect_run(1, "info >/dev/full", "standard output could not be written")
end

local function number(text, name) return tonumber(text:match('"' .. name .. '": ([-%d.e+]+)')) end

-- A query of some 13 rows, and keys where the model's cannot be as many.
local function write_query(info)
  local function range(name)
    local text = info:match('"' .. name .. '": (%b{})')
    return number(text, "min"), number(text, "max")
  end
  local function within(length, low, high) return math.max(low, math.min(length, high)) end
  local q_len = within(13, range "seq_len")
  local kv_len = within(q_len, range "kv_seq_len")
  local batch, d_model = number(info, "batch") or 2, number(info, "d_model")
  local function wave(i) return i * 37 % 101 / 64 - 0.75 end
  local list = { tensor("query", "F32", { batch, q_len, d_model }, wave) }
  if kv_len ~= q_len or info:find('"memory"', 1, true) then
    list[2] = tensor(info:find('"memory"', 1, true) and "memory" or "key", "F32", { batch, kv_len, d_model }, wave)
  end
  files.write(path "in", list)
end

-- The model's own kernels give the same bytes on any number of threads.
local function test_threads_agree()
  write_query((expect_run(0, "info --json")))
  expect_run(0, "run --allow-random 3 --input %in --output %one")
  for _, threads in ipairs { 2, 3, 8 } do
    expect_run(0, "run --allow-random 3 --input %in --output %several --threads " .. threads)
    expect(files.slurp(path "one") == files.slurp(path "several"), "%s: %d threads gave other bytes", program, threads)
  end
end

-- Every ISA that runs here gives what the first of them gives, through files; weights in groups, about that.
local function test_variants_agree()
  local info = expect_run(0, "info --json", '"kernels"', '"layouts"')
  local agree, first = "check --allow-random 3 --input %in --expected %result "
  local within = info:find('weights_dtype = [\\"]*int') and "--rtol 1e-4 --atol 1e-5" or "--rtol 0 --atol 0"
  write_query(info)
  for isa, runs in info:match('"variants": (%b[])'):gmatch('"isa": "([%w_]+)".-"runs_here": (%l+)') do
    expect_run(0, "info --isa " .. isa, "kernels of " .. isa)
    first = first or runs == "true" and isa
    if first == isa then expect_run(0, "run --allow-random 3 --input %in --output %result --isa " .. isa) end
    if runs == "true" then expect_run(0, agree .. within .. " --isa " .. isa, "ok:") end
  end
  expect(first, "no variant runs here")
end

for _, test in ipairs { write_weights, test_run, test_keys_and_lengths, test_tokens, test_refused_inputs,
                        test_refused_weights, test_random_weights, test_check, test_check_nan, test_check_refusals,
                        test_inspect, test_threads, draw.fixture, pack.fixture } do
  test()
end
require "program_isas"(expect_run, expect)
require "program_weights"(path, expect_run, expect)
require "program_files_given"(path, run, expect_run, expect)
require "program_usage"(run, expect_run, expect)
require "program_masks"(path, expect_run, expect_values)
program = arg[2]
require "program_stack"(path, expect_run, expect_values, expect)
require "program_layers"(path, expect_run, expect_values, expect, draw.flaw)
if arg[3] ~= "-" then
  require "program_models"(path, expect_run, expect, function(name) program = arg[3] .. "/" .. name end)
end
table.remove(arg, 3)
for i = 1, #arg do
  program = arg[i]
  local code, _, err = run("--version")
  if code == 0 then
    test_usage()
    bench()
    test_variants_agree()
    test_threads_agree()
    pack.any()
    draw.any()
  else
    expect(false, "%s does not run: exit %s\n%s", program, tostring(code), err)
  end
end
os.execute("rm -r " .. dir)
print(("program: %d checks, %d failed"):format(checks, failures))
os.exit(failures == 0 and 0 or 1)
