-- configure_test.lua: configure as its user meets it, in a folder of links to this source, so that the real out/ is
-- left alone.
local fact = dofile("tests/generator/fact.lua")
local gguf = dofile("tests/generator/gguf_files.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"
local isa = require "isa"
local text = require "base.text"

local lua = compat.version:find("JIT") and "luajit" or "lua5.4"
local ISAS = text.join(isa.names())
local folder = fact.folder("configure")

fact.link_source(folder)

-- Runs configure with sh words; returns what it said, and its exit code.
local function configure(words, environment)
  return compat.capture(("cd %s && %s LUA=%s ./configure %s"):format(folder, environment or "", lua, words or ""))
end

-- configure refuses, with this exit code, and says just these lines.
local function refuses(code, words, ...)
  local said, got = configure(words)
  fact.equal(said, "./configure: " .. table.concat({ ... }, "\n./configure: ") .. "\n")
  fact.equal(got, code)
end

-- Value of a variable in config.ninja.
local function setting(name)
  local content = assert(fs.read(folder .. "out/config.ninja"))
  return content:match("\n" .. name .. " = ([^\n]*)")
end

-- -- Wrong usage ----------------------------------------------------------------------------------------------------

fact.holds("a misspelt option is exit 2, with the nearest one", function()
  refuses(2, "--d-modle 512", "unknown option '--d-modle'; did you mean --d-model?")
  refuses(2, "'--\226\128\174x'", [[unknown option '--\xe2\x80\xaex'; see --help]])
  refuses(2, "--haeds=8", "unknown option '--haeds'; did you mean --heads?")
  refuses(2, "--frobnicate-all", "unknown option '--frobnicate-all'; see --help")
end)

fact.holds("a misspelt variable or instruction set is exit 2", function()
  refuses(2, "CLFAGS=-g", "unknown variable 'CLFAGS'; did you mean CFLAGS?")
  refuses(2, "--isa avx", "--isa: there is no 'avx'; did you mean avx2? (there are " .. ISAS .. ")")
  refuses(2, "--isa ,", "--isa names no instruction set; there are " .. ISAS)
end)

fact.holds("a missing value, a stray word and flags beside a spec are exit 2", function()
  refuses(2, "--d-model", "--d-model needs a value: --d-model N")
  refuses(2, "stray", "unexpected argument 'stray'; see --help")
  refuses(2, "--spec specs/demo.lua --d-model 8", "--d-model cannot be combined with --spec; say it in specs/demo.lua")
end)

-- A flag that is refused once specs are written, and before seconds of questions to the compiler.
local REFUSED = "CFLAGS=-Ofast"

fact.holds("--causal alone means top_left, whatever follows it", function()
  for _, words in ipairs({ "%s --causal", "--causal --isa scalar %s", "--causal %s", "--causal top_left %s" }) do
    os.remove(folder .. "out/specs/mha_8_2.lua")
    fact.contains(configure("--d-model 8 --heads 2 " .. words:format(REFUSED)), "CFLAGS: -Ofast is refused: ")
    fact.contains(assert(fs.read(folder .. "out/specs/mha_8_2.lua")), 'mask = { causal = "top_left" }')
  end
end)

-- -- What cannot be built -------------------------------------------------------------------------------------------

fact.holds("a number below zero is its option's value", function()
  refuses(2, "--d-model 8 --heads 2 --softcap -1", "--softcap must be above 0, found -1: scores are squeezed to " ..
    "-softcap .. softcap")
  refuses(1, "--d-model 8 --heads 2 --mask-fill -1e9 --lengths no", "mask_fill (-1000000000) replaces masked " ..
    'scores, and nothing masks: mask.causal, mask.window and mask.lengths are off, and mask.tensor is not "bool" ' ..
    "(mask.causal: --causal, mask.window: --window, mask.lengths: --lengths)")
  refuses(2, "--d-model 8 --heads 2 --mask-fill -inf --softcap -.5", "--softcap must be above 0, found -0.5: scores " ..
    "are squeezed to -softcap .. softcap")
  refuses(2, "--d-model 8 -1", "unknown option '-1'; see --help")
end)

fact.holds("an impossible shape is exit 1", function()
  refuses(1, "--d-model 128 --heads 5", "d_model (128) is not a multiple of n_heads (5) (n_heads: --heads)")
end)

fact.holds("every error of a spec is said at once", function()
  assert(fs.write_if_changed(folder .. "bad.lua", "return { d_model = 0, n_heads = -1 }\n"))
  local said, code = configure("--spec bad.lua")
  fact.equal(code, 1)
  fact.contains(said, "./configure: bad.lua: d_model ")
  fact.contains(said, "./configure: bad.lua: n_heads ")
end)

fact.holds("two models of one name are exit 1", function()
  assert(fs.write_if_changed(folder .. "a.lua", 'return { name = "twin", d_model = 8, n_heads = 1 }\n'))
  assert(fs.write_if_changed(folder .. "b.lua", 'return { name = "twin", d_model = 16, n_heads = 1 }\n'))
  refuses(1, "--spec a.lua --spec b.lua", "a.lua and b.lua are both named twin; give one another name")
end)

fact.holds("the demo's spec may be given by any path", function()
  fact.contains(configure(("--spec ./specs/demo.lua %s"):format(REFUSED)), "CFLAGS: -Ofast is refused: ")
  fact.contains(configure(("--spec \"$PWD/specs/demo.lua\" %s"):format(REFUSED)), "CFLAGS: -Ofast is refused: ")
end)

fact.holds("a model that is named as a part of another is exit 1, for both have the same symbols", function()
  assert(fs.write_if_changed(folder .. "a.lua",
    'return { name = "twin", kind = "encoder", d_model = 8, n_heads = 1, n_layers = 1 }\n'))
  assert(fs.write_if_changed(folder .. "b.lua", 'return { name = "twin_self", d_model = 16, n_heads = 1 }\n'))
  refuses(1, "--spec b.lua --spec a.lua", "b.lua and a.lua are both named twin_self, or have a part of that name; " ..
    "give one another name")
end)

fact.holds("flags that break exactness are refused with the reason", function()
  for _, flag in ipairs({ "-ffast-math", "-Ofast", "-funsafe-math-optimizations" }) do
    local said, code = configure(fmt.sh_quote("CFLAGS=-g " .. flag))
    fact.equal(code, 1)
    fact.contains(said, "CFLAGS: " .. flag .. " is refused: ")
  end
end)

fact.holds("a compiler or a Lua that is not one is exit 1", function()
  refuses(1, "CC=no-such-cc", "CC='no-such-cc' is not a command")
  refuses(1, "AR=no-such-ar", "AR='no-such-ar' is not a command")
  refuses(1, "CC=cc CPPFLAGS= CFLAGS=--no-such LDFLAGS=", "the compiler 'cc' cannot make a program with CPPFLAGS='' " ..
    "CFLAGS='--no-such' LDFLAGS=''; see out/config.log")
  local said, code = configure("LUA=cat")
  fact.equal(code, 1)
  fact.contains(said, "LUA='cat' is not a working Lua 5.4 or LuaJIT")
end)

fact.holds("nothing is written through a link in out/", function()
  local elsewhere = fact.folder("configure_elsewhere")
  assert(compat.execute(("mkdir -p %sout && ln -s ../../configure_elsewhere %sout/linked"):format(folder, folder)))
  refuses(1, "", "out/linked is a symbolic link, and nothing is written through one; put a folder in its place")
  assert(compat.execute(("rm -f %sout/linked %sout/config.log; echo mine >%smine"):format(folder, folder, elsewhere)))
  assert(compat.execute(("ln -s ../../configure_elsewhere/mine %sout/config.log"):format(folder)))
  refuses(1, "--d-model 128 --heads 5", "d_model (128) is not a multiple of n_heads (5) (n_heads: --heads)")
  fact.equal(assert(fs.read(elsewhere .. "mine")), "mine\n")
  fact.lists_equal(assert(fs.list(elsewhere)), { "mine" })
end)

-- -- Missing parts --------------------------------------------------------------------------------------------------

-- Runs configure where there are only sh's own tools and the given commands, each a line of sh.
local function bare(words, commands)
  local bin = fact.folder("configure_bin")
  for _, tool in ipairs({ "sh", "dirname", "mkdir", "cat", "sed", "sort", "tr", "tail", "rm" }) do
    assert(compat.execute(("ln -s \"$(command -v %s)\" %s%s"):format(tool, bin, tool)))
  end
  for name, line in pairs(commands) do
    assert(fs.write_if_changed(bin .. name, "#!/bin/sh\n" .. line .. "\n"))
    assert(compat.execute("chmod +x " .. bin .. name))
  end
  return compat.capture(("PATH=$PWD/%s; export PATH; unset CC; cd %s && ./configure %s"):format(bin, folder, words))
end

fact.holds("every missing part is named at once, with its package", function()
  local said, code = bare("", {})
  fact.equal(code, 1)
  for _, package in ipairs({ "gcc", "lua5.4", "lua-argparse", "ninja-build" }) do
    fact.contains(said, "  " .. package .. ": ")
  end
  fact.contains(said, "./configure --install-deps installs them; or: apt-get install ")
end)

fact.holds("without root --install-deps prints the command", function()
  local said, code = bare("--install-deps", { id = "echo 1000", ["apt-get"] = "echo must not run; exit 1" })
  fact.equal(code, 1)
  fact.contains(said, "  luajit: ")
  fact.contains(said, "  sudo apt-get update && sudo apt-get install --yes --no-install-recommends ")
  assert(not said:find("must not run", 1, true))
end)

fact.holds("with root it says what and why, updates, installs, and looks again", function()
  local calls = folder .. "out/calls"
  local record = 'echo "$DEBIAN_FRONTEND $*" >>out/calls'
  local said, code = bare("--install-deps", { id = "echo 0", ["apt-get"] = record })
  fact.equal(code, 1)
  fact.contains(said, "  ninja-build: runs the build\n")
  fact.contains(said, "./configure: required parts are missing")
  local first, second = assert(fs.read(calls)):match("^([^\n]*)\n([^\n]*)\n$")
  fact.equal(first, "noninteractive update")
  fact.contains(second, "noninteractive install --yes --no-install-recommends ")
  for _, package in ipairs({ "gcc", "ninja-build", "lua5.4", "lua-argparse", "luajit" }) do
    fact.contains(second .. " ", " " .. package .. " ")
  end
end)

fact.holds("an installation that fails is exit 1, with what apt-get said", function()
  local said, code = bare("--install-deps", { id = "echo 0", ["apt-get"] = "echo no network; exit 100" })
  fact.equal(code, 1)
  fact.contains(said, "no network\n")
  fact.contains(said, "the installation failed; see out/config.log")
end)

-- -- Help -----------------------------------------------------------------------------------------------------------

fact.holds("--help is exit 0, in autoconf's order, with defaults", function()
  local said, code = configure("--help")
  fact.equal(code, 0)
  local at = 1
  for _, part in ipairs({ "Usage: ./configure", "\nConfiguration:", "--install-deps", "\nInstallation directories:",
    "[/usr/local]", "\nModel:", "--d-model N", "[512]", "\nOptional features:", "--isa LIST",
    "\nSome influential environment variables", "\n   LUA ", "\nExamples:\n   ./configure --d-model 512" }) do
    local from = said:find(part, at, true)
    if not from then error("no " .. part .. " after " .. said:sub(1, at)) end
    at = from
  end
end)

-- -- What is written ------------------------------------------------------------------------------------------------

fact.holds("the summary names shape, instruction sets, compiler and Lua", function()
  local said, code = configure("--d-model=24 --heads 3 --seq-len 5 --name tiny --isa scalar --install-deps " ..
    "'CPPFLAGS=-DX=\"$y\"'", "CFLAGS='-g -O1'")
  fact.equal(code == 0 and "" or said, "")
  fact.contains(said, "tiny: d_model 24, 3 heads of 8, seq_len 5\n")
  fact.contains(said, "  ISA       scalar\n")
  fact.contains(said, "ISA avx2: not in --isa")
  local flags = ("\n%s \n"):format(fs.read("/proc/cpuinfo") or ""):match("\nflags[^\n]*\n") or ""
  if flags:find(" avx2[ \n]") and flags:find(" fma[ \n]") then
    fact.contains(said, "avx2 is not used, though this CPU has it: not in --isa")
  else
    fact.equal(said:find("though this CPU has it", 1, true), nil)
  end
  fact.contains(said, "  compiler  ")
  fact.contains(said, "  Lua       " .. lua .. " (" .. compat.version .. ")\n")
  fact.contains(said, "out/bin/tiny, out/lib/libtiny.a and out/include/tiny.h")
end)

fact.holds("flags become a spec file that says the same", function()
  local content = assert(fs.read(folder .. "out/specs/tiny.lua"))
  fact.contains(content, "d_model = 24")
  fact.contains(content, "n_heads = 3")
end)

fact.holds("arguments and variables are remembered, quoted for sh and for ninja", function()
  local command = setting("configure")
  fact.contains(command, "./configure --d-model=24 --heads 3 --seq-len 5 --name tiny --isa scalar ")
  fact.contains(command, "CC=")
  fact.contains(command, [['CPPFLAGS=-DX="$$y"']])
  fact.contains(command, "'CFLAGS=-g -O1'")
  assert(not command:find("install-deps", 1, true))
  fact.contains(command, "LUA=" .. lua)
end)

fact.holds("the remembered command writes the same again", function()
  local before = assert(fs.read(folder .. "out/config.ninja")) .. assert(fs.read(folder .. "out/kernels.ninja"))
  local command = setting("configure"):gsub("%$%$", "$")
  local said, code = compat.capture(("cd %s && %s"):format(folder, command))
  fact.equal(code == 0 and "" or said, "")
  local after = assert(fs.read(folder .. "out/config.ninja")) .. assert(fs.read(folder .. "out/kernels.ninja"))
  fact.equal(after == before, true)
end)

-- What is said, and the log, of a configure that finds none of the tools for work on genattn itself.
local function without_tools(words)
  local bin = fact.folder("configure_no_tools")
  for tool in ("sh cc ninja as ld ar dirname mkdir rm ls mktemp find touch cat " .. lua):gmatch("%S+") do
    assert(compat.execute(("ln -s \"$(command -v %s)\" %s%s"):format(tool, bin, tool)))
  end
  local said, code = compat.capture(("PATH=$PWD/%s; export PATH; unset CC; cd %s && LUA=%s ./configure %s"):format(bin,
    folder, lua, words))
  fact.equal(code == 0 and "" or said, "")
  return said, assert(fs.read(folder .. "out/config.log"))
end

fact.holds("what only work on genattn needs is said when asked for, and in the log", function()
  local off = "valgrind's part of 'ninja check-memory': no valgrind (Debian: valgrind)"
  local said, log = without_tools("--d-model 8 --heads 2 --isa scalar")
  assert(not said:find("valgrind", 1, true) and not said:find("luacheck", 1, true), said)
  fact.contains(log, "# off: " .. off)
  fact.contains(log, "# checking for luacheck... no")
  said = without_tools("--d-model 8 --heads 2 --isa scalar --verbose")
  fact.contains(said, "\n            " .. off .. "\n")
  fact.contains(said, "checking for luacheck... no")
  assert(not setting("configure"):find("verbose", 1, true))
end)

local GPT2 = [[{"model_type": "gpt2", "architectures": ["GPT2Model"], "n_embd": 8, "n_head": 2, "n_layer": 1,
  "vocab_size": 7, "n_positions": 20}]]

fact.holds("a model folder becomes a spec, its table is printed, and all that is wrong with folders is said", function()
  if not require("import.from_hf.json").available() then return end
  assert(fs.write_if_changed(folder .. "out/Tiny-GPT/config.json", GPT2))
  fact.equal(setting("warnings"):find("-Werror", 1, true), nil) -- of the run before, which did not ask for it
  local said, code = configure("--enable-werror --isa scalar --from-hf out/Tiny-GPT/ --seq-len 1..6")
  fact.equal(code == 0 and "" or said, "")
  fact.contains(said, "  build     warnings are errors\n")
  fact.contains(setting("warnings"), " -Werror")
  fact.contains(said, "out/Tiny-GPT/config.json: GPT2Model (gpt2)\n")
  fact.contains(said, '= "1..6"  (as asked for)\n')
  fact.contains(said, "spec: out/specs/tiny_gpt.lua; once edited, --spec takes it in place of the folder\n")
  fact.contains(assert(fs.read(folder .. "out/specs/tiny_gpt.lua")), 'seq_len = "1..6"')
  fact.contains(assert(fs.read(folder .. "out/configure.d")), "out/Tiny-GPT/config.json")
  refuses(1, "--from-hf out/Tiny-GPT --from-hf out --spec no.lua", "no.lua: No such file or directory",
    "out/config.json: there is no such file; expected a folder as transformers saves a model, with config.json and " ..
    "model.safetensors, as 'hf download ORG/NAME --local-dir DIR' gets it")
end)

fact.holds("a GGUF file becomes a spec, and one that is none is refused", function()
  assert(fs.write_if_changed(folder .. "out/Tiny.gguf", gguf.model("llama")))
  local said, code = configure("--isa scalar --from-gguf out/Tiny.gguf --seq-len 1..6")
  fact.equal(code == 0 and "" or said, "")
  fact.contains(said, "out/Tiny.gguf: llama (GGUF version 3)\n")
  fact.contains(said, "spec: out/specs/tiny.lua; once edited, --spec takes it in place of the file\n")
  fact.contains(assert(fs.read(folder .. "out/specs/tiny.lua")), 'weights = "gguf"')
  fact.contains(assert(fs.read(folder .. "out/configure.d")), "out/Tiny.gguf")
  refuses(1, "--from-gguf no.gguf --from-gguf out", "no.gguf: No such file or directory",
    "out: is a folder; expected a GGUF file, as out/Tiny.gguf")
end)

fact.holds("unknown options of GNU's kind are only warned of", function()
  local said, code = configure("--d-model 8 --heads 2 --name flags --sysconfdir=/etc --enable-sanitise")
  fact.equal(code == 0 and "" or said, "")
  fact.contains(said, "warning: '--sysconfdir=/etc' is ignored: there is no such option\n")
  fact.contains(said, "warning: '--enable-sanitise' is ignored")
  fact.contains(said, "did you mean --enable-sanitize?")
end)

fact.holds("what an earlier configuration made for users goes, what else lies beside it stays", function()
  local stale = { "out/bin/flags", "out/include/flags.h", "out/lib/libflags.a", "out/lib/libflags.so" }
  local own = { "out/bin/mine", "out/lib/libmine.a", "out/bin/next" }
  for _, list in ipairs({ stale, own }) do
    for _, path in ipairs(list) do assert(fs.write_if_changed(folder .. path, "x") ~= nil) end
  end
  assert(compat.execute(("cd %s && printf 'a.lua\\nout/../b.lua\\nout/bin/..\\n' >>out/products.list"):format(folder)))
  local said, code = configure("--d-model 8 --heads 2 --name next")
  fact.equal(code == 0 and "" or said, "")
  fact.contains(said, "removed, as this configuration does not make them: out/include/flags.h, out/lib/libflags.a, " ..
    "out/lib/libflags.so, out/bin/flags, out/lib/flags.map, out/install/flags.pc, ")
  for _, path in ipairs(stale) do fact.equal(fs.exists(folder .. path), false) end
  for _, path in ipairs({ "a.lua", "b.lua", compat.unpack(own) }) do fact.equal(fs.exists(folder .. path), true) end
  assert(not configure("--d-model 8 --heads 2 --name next"):find("removed", 1, true))
  fact.equal(fs.exists(folder .. "out/bin/next"), true)
end)

fact.holds("ISA flags reach that ISA's files only", function()
  local edge
  for line in assert(fs.read(folder .. "out/kernels.ninja")):gsub(" %$\n +", " "):gmatch("[^\n]+") do
    edge = line:match("^build (%S+):") or edge
    if line:find("-mavx", 1, true) then assert(edge:find("[_/]avx"), edge) end
    if line:find("-mavx512", 1, true) then assert(edge:find("[_/]avx512"), edge) end
  end
end)

fact.holds("ninja reads what was written and has an edge for every product", function()
  local said, code = compat.capture("ninja -C " .. folder .. " -t query out/bin/next out/lib/libnext.a "
    .. "out/lib/libnext.so out/include/next.h out/include/genattn/model.h")
  fact.equal(code == 0 and "" or said, "")
end)

fact.holds("the tests' graph is made when tests are asked for, from what configure saved", function()
  local kernels = assert(fs.read(folder .. "out/kernels.ninja")):gsub("\nbuild tree: .-[^$]\n", "\n") -- files alone
  assert(not kernels:find("tests/", 1, true) and not kernels:find("out/test", 1, true), "an edge of a test")
  fact.equal(fs.exists(folder .. "out/test/build.ninja"), false)
  local query = "cd %s && ninja out/test/build.ninja && " ..
    "ninja -f out/test/build.ninja -t query out/test/configured check check-quick check-all"
  local said, code = compat.capture(query:format(folder))
  fact.equal(code == 0 and "" or said, "")
  for _, name in ipairs({ "check", "check-quick", "check-all" }) do
    fact.contains(assert(fs.read(("%sout/test/%s.list"):format(folder, name))), "\tout/test/passed/kernels_of_next_")
  end
  fact.contains(assert(fs.read(folder .. "out/test/check-all.list")), "as configured, all shapes\n")
end)

fact.holds("the log has each probe's command, source and outcome", function()
  local log = assert(fs.read(folder .. "out/config.log"))
  fact.contains(log, "-ljansson")
  fact.contains(log, "=> exit 0")
  fact.contains(log, "# probe.c:\n")
end)

fact.holds("nothing is written outside out/", function()
  local names = assert(fs.list(folder))
  fact.lists_equal(names, { "CHANGELOG.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "a.lua", "b.lua",
    "bad.lua", "bench", "bindings", "build.ninja", "configure", "demo", "docs", "examples", "generator", "out",
    "program", "rules.ninja", "runtime", "specs", "templates", "tests", "text", "tools" })
end)

fact.holds("what no file of the build can hold is exit 2, and named", function()
  refuses(2, "--spec 'it'\\''s.lua'", "it's.lua: ninja cannot look at a path with a ' in it; give it another name")
  refuses(2, "--from-hf 'a;b'", "a;b: ninja cannot look at a path with a ; in it; give it another name")
  refuses(2, "--prefix \"$(printf 'a\\nb')\"", "argument 'a?b' holds a control character")
  local said, code = configure("", "CFLAGS=\"$(printf -- '-g\\n-O1')\"")
  fact.equal(said, "./configure: CFLAGS holds a control character\n")
  fact.equal(code, 2)
end)

fact.finish()
