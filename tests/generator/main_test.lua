-- main_test.lua: the generator's command line as its user meets it: what it writes, what it says, how it exits.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local emit = require "emit"
local fmt = require "base.fmt"
local fs = require "base.fs"
local isa = require "isa"
local spec = require "spec"

local LUA = compat.version:find("JIT") and "luajit" or "lua5.4"
local ISAS = require("base.text").join(isa.names())
local folder = fact.folder("main")
local SPEC = folder .. "tiny.lua"
assert(fs.write_if_changed(SPEC, 'return { name = "tiny", d_model = 8, n_heads = 2, seq_len = 4, unroll = 1 }\n'))

-- Runs the generator with sh words; returns what it said, and its exit code.
local function generator(words, from, script)
  return compat.capture(("cd %s && %s %s %s"):format(from or ".", LUA, script or "generator/main.lua", words))
end

local function succeeds(words, from, script)
  local said, code = generator(words, from, script)
  fact.equal(said, "")
  fact.equal(code, 0)
end

-- It refuses with this exit code, says just these lines, and writes nothing to `out`.
local function refuses(code, words, ...)
  local out = folder .. "never"
  local said, got = generator(words .. " --out " .. out)
  fact.equal(said, "genattn: " .. table.concat({ ... }, "\ngenattn: ") .. "\n")
  fact.equal(got, code)
  fact.equal(fs.list(out), nil)
end

local function everything_in(path)
  local parts = {}
  for _, name in ipairs(assert(fs.list(path))) do
    parts[#parts + 1] = name .. "\n" .. assert(fs.read(path .. "/" .. name))
  end
  return table.concat(parts)
end

-- -- What it writes -------------------------------------------------------------------------------------------------

fact.holds("it writes just the files that emit lists, silently", function()
  succeeds(("--spec %s --isa avx2,scalar --out %sgen"):format(SPEC, folder))
  local expected = {}
  for _, output in ipairs(emit.outputs(assert(spec.read(SPEC)), { "avx2", "scalar" })) do
    expected[#expected + 1] = output.path
  end
  table.sort(expected)
  fact.lists_equal(assert(fs.list(folder .. "gen")), expected)
end)

fact.holds("a second run touches nothing", function()
  assert(compat.execute(("touch -d 2001-01-01 %sgen/*"):format(folder)))
  succeeds(("--spec %s --isa avx2,scalar --out %sgen"):format(SPEC, folder))
  fact.equal(compat.capture(("find %sgen -type f -newermt 2002-01-01"):format(folder)), "")
end)

fact.holds("instruction sets may be named in any order", function()
  succeeds(("--spec %s --isa scalar,avx2 --out %sother"):format(SPEC, folder))
  fact.equal(everything_in(folder .. "other") == everything_in(folder .. "gen"), true)
end)

fact.holds("all instruction sets are the default", function()
  succeeds(("--spec %s --out %sall"):format(SPEC, folder))
  succeeds(("--spec %s --isa %s --out %snamed"):format(SPEC, table.concat(isa.names(), ","), folder))
  fact.equal(everything_in(folder .. "all") == everything_in(folder .. "named"), true)
end)

fact.holds("it finds its templates from any folder", function()
  local here = compat.capture("pwd"):gsub("%s+$", "")
  succeeds(("--spec tiny.lua --isa scalar --out %s"):format(fmt.sh_quote(here .. "/" .. folder .. "from_afar")), folder,
    fmt.sh_quote(here .. "/generator/main.lua"))
  succeeds(("--spec %s --isa scalar --out %s"):format(fmt.sh_quote(here .. "/" .. SPEC),
    fmt.sh_quote(here .. "/" .. folder .. "from_inside")), "generator", "main.lua")
  succeeds(("--spec %s --isa scalar --out %snear"):format(SPEC, folder), ".", "./generator/main.lua")
  local function body(name) return (everything_in(folder .. name):gsub("%-%-spec [^\n]*", "")) end
  fact.equal(body("from_afar") == body("near"), true)
  fact.equal(body("from_inside") == body("near"), true)
end)

fact.holds("an absolute path does not reach the text", function()
  local here = compat.capture("pwd"):gsub("%s+$", "")
  succeeds(("--spec %s --isa scalar --out %sabsolute"):format(fmt.sh_quote(here .. "/" .. SPEC), folder))
  assert(not everything_in(folder .. "absolute"):find(here, 1, true))
end)

fact.holds("the depfile names spec, templates and modules, for the stamp", function()
  succeeds(("--spec %s --isa scalar --out %sgen2 --depfile %sa.d --stamp 'out/a b'"):format(SPEC, folder, folder))
  local text = assert(fs.read(folder .. "a.d"))
  fact.equal(text:sub(1, 10), "out/a\\ b: ")
  for _, path in ipairs({ SPEC, "templates/schedule/layer.c.lt", "generator/main.lua", "generator/plan/tiles.lua",
    "generator/attention/causal.lua", "generator/attention/modifiers/softcap.lua", "generator/attention/modifiers",
    "generator/isa/scalar.lua", "generator/import/maps/torch_mha.lua" }) do
    assert((text:gsub("%f[%S]%./", "") .. " "):find(" " .. path:gsub("%p", "%%%0") .. "[ \n]"), path)
  end
end)

fact.holds("--dump-plan prints a plan for each instruction set and writes nothing", function()
  local said, code = generator(("--spec %s --isa scalar,avx2 --dump-plan --out %snever"):format(SPEC, folder))
  fact.equal(code, 0)
  fact.equal(said:find("plan tiny for avx2: d_model 8, 2 heads of 4", 1, true), 1)
  fact.contains(said, "\n\nplan tiny for scalar: ")
  fact.equal(fs.list(folder .. "never"), nil)
  fact.equal(generator(("--spec %s --isa avx2,scalar --dump-plan"):format(SPEC)), said)
end)

-- -- Wrong usage: 2 -------------------------------------------------------------------------------------------------

fact.holds("--help says every option and is no error", function()
  local said, code = generator("--help")
  fact.equal(code, 0)
  for _, option in ipairs({ "--spec FILE", "--isa LIST", "--out DIR", "--depfile FILE", "--stamp FILE",
    "--dump-plan" }) do
    fact.contains(said, option)
  end
end)

fact.holds("wrong usage is exit 2 with what is wrong", function()
  local spec_word = "--spec " .. SPEC
  refuses(2, "", "missing option '--spec'", "see --help")
  refuses(2, "--spek x", "unknown option '--spek'; Did you mean '--spec'?", "see --help")
  refuses(2, spec_word .. " stray", "too many arguments", "see --help")
  refuses(2, spec_word .. " --isa avx",
    "--isa: no instruction set is called 'avx'; there are " .. ISAS, "see --help")
  refuses(2, spec_word .. " --isa avx2,scalar,avx2", "--isa names avx2 twice", "see --help")
  refuses(2, spec_word .. " --isa ,", "--isa names no instruction set; there are " .. ISAS, "see --help")
  local said, code = generator(spec_word)
  fact.equal(said, "genattn: --out DIR is missing\ngenattn: see --help\n")
  fact.equal(code, 2)
end)

-- -- What cannot be done: 1 -----------------------------------------------------------------------------------------

fact.holds("every error of a spec is said at once, and nothing is written", function()
  local bad = folder .. "bad.lua"
  assert(fs.write_if_changed(bad, "{ d_model = 128, n_heads = 5, n_kv_heads = 2 }") ~= nil)
  refuses(1, "--spec " .. bad, bad .. ": d_model (128) is not a multiple of n_heads (5)",
    bad .. ": n_heads (5) is not a multiple of n_kv_heads (2)")
  refuses(1, "--dump-plan --spec " .. bad, bad .. ": d_model (128) is not a multiple of n_heads (5)",
    bad .. ": n_heads (5) is not a multiple of n_kv_heads (2)")
end)

fact.holds("a spec that cannot be read is named", function()
  local said, code = generator(("--spec %sabsent.lua --out %snever"):format(folder, folder))
  fact.equal(code, 1)
  fact.contains(said, "genattn: " .. folder .. "absent.lua: ")
  said, code = generator(("--spec %s --out %snever"):format(folder, folder))
  fact.equal(code, 1)
  fact.contains(said, "genattn: " .. folder)
end)

fact.holds("a folder that cannot be written is named", function()
  local said, code = generator(("--spec %s --isa scalar --out %s/below"):format(SPEC, SPEC))
  fact.equal(code, 1)
  fact.contains(said, "genattn: ")
  fact.contains(said, SPEC)
end)

fact.holds("a spec that is a pipe is not waited for", function()
  assert(compat.execute("mkfifo " .. folder .. "pipe.lua"))
  refuses(1, "--spec " .. folder .. "pipe.lua", folder .. "pipe.lua: is no regular file")
end)

fact.holds("nothing is written through links: one of a file is replaced, one of a folder refused", function()
  local at = folder .. "linked"
  assert(compat.execute(("mkdir -p %s/gen %s/else && cd %s && echo mine >else/mine"):format(at, at, at)))
  assert(compat.execute(("cd %s && ln -s ../else/mine gen/tiny.c && ln -s else link"):format(at)))
  assert(fs.write_if_changed(at .. "/tiny.lua", '{ name = "tiny", d_model = 8, n_heads = 2 }') ~= nil)
  local said, code = generator(("--spec %s/tiny.lua --isa scalar --out %s/gen"):format(at, at))
  fact.equal(code == 0 and "" or said, "")
  fact.equal(fs.read(at .. "/else/mine"), "mine\n")
  fact.contains(assert(fs.read(at .. "/gen/tiny.c")), "tiny as facts")
  said, code = generator(("--spec %s/tiny.lua --isa scalar --out %s/link/new"):format(at, at))
  fact.equal(code, 1)
  fact.equal(said, "genattn: " .. at .. "/link: is a symbolic link, and nothing is written through one; put a " ..
    "folder in its place\n")
  fact.lists_equal(assert(fs.list(at .. "/else")), { "mine" })
end)

-- -- Bugs of the generator: 70 --------------------------------------------------------------------------------------

fact.holds("a broken template is exit 70, with its line, and nothing is written", function()
  local copy = folder .. "copy/"
  assert(compat.execute(("mkdir -p %s && cp -RL generator templates %s"):format(copy, copy)))
  local template = assert(fs.read(copy .. "templates/attention/value.c.lt"))
  assert(fs.write_if_changed(copy .. "templates/attention/value.c.lt", "${banner}\n${no_such_name}\n" .. template))
  local said, code = generator(("--spec %s --out %snever"):format(SPEC, folder), ".", copy .. "generator/main.lua")
  fact.equal(code, 70)
  fact.contains(said, "genattn: this is a bug of the generator, please report it:\n")
  fact.contains(said, "templates/attention/value.c.lt:2: undefined template name 'no_such_name'")
  fact.contains(said, "stack traceback")
  fact.equal(fs.list(folder .. "never"), nil)
end)

fact.finish()
