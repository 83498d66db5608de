-- configure_cross_test.lua: configure with a compiler for another machine, which a script around this one's plays: what
-- it makes does not run here. No cross compiler is needed; `ninja check-all` takes a real one, where there is one.
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fs = require "base.fs"

local lua = compat.version:find("JIT") and "luajit" or "lua5.4"
local folder = fact.folder("configure_cross")

for name in ("configure generator program runtime specs templates tests rules.ninja demo bench"):gmatch("%S+") do
  assert(compat.execute(("ln -s \"$PWD/%s\" %s%s"):format(name, folder, name)))
end
assert(compat.execute(("cp %s %sbuild.ninja"):format(fact.build_file, folder)))

-- Programs ask for a loader that is not there, and libraries for that machine are not installed.
assert(fs.write_if_changed(folder .. "elsewhere-cc", [[
#!/bin/sh
case " $* " in
    *" -dumpmachine "*) echo "${MACHINE:-elsewhere}-linux-gnu" ;;
    *" -ljansson"* | *" -lcriterion"*) exit 1 ;;
    *) exec cc "$@" -Wl,--dynamic-linker=/nowhere/ld.so ;;
esac
]]))
assert(compat.execute(("chmod +x %selsewhere-cc"):format(folder)))

local function shell(words)
  return compat.capture(("cd %s && %s"):format(folder, words))
end

fact.holds("wheels for that machine are not made here", function()
  local said, code = shell(("LUA=%s CC=./elsewhere-cc ./configure --python --d-model 8 --heads 2"):format(lua))
  fact.contains(said, "./configure: --python: wheels for elsewhere-linux-gnu are made there: they need its jansson, " ..
    "and glibc or musl; see out/config.log\n")
  fact.equal(code, 1)
end)

fact.holds("a runner that is no command is refused as one", function()
  local said, code = shell(("LUA=%s ./configure --runner 'no-such-emulator -L x' --d-model 8 --heads 2"):format(lua))
  fact.equal(said, "./configure: --runner: 'no-such-emulator' is not a command (Debian has emulators in qemu-user)\n")
  fact.equal(code, 1)
end)

fact.holds("configure makes what that machine runs, and says what it leaves out", function()
  local said, code = shell(("LUA=%s CC=./elsewhere-cc ./configure --d-model 8 --heads 2 --name far"):format(lua))
  fact.equal(code == 0 and "" or said, "")
  for _, part in ipairs({ "checking for avx2... no: the compiler is for elsewhere-linux-gnu\n",
    "checking for scalar... yes, but not on this CPU\n", "  ISA       scalar (built, but this CPU cannot run it)\n",
    "programs, weights of files, tests: no jansson for this compiler's machine (Debian: libjansson-dev, of that " ..
      "architecture)\n", "ninja                 makes out/lib/libfar.a and out/include/far.h\n" }) do
    fact.contains(said, part)
  end
  assert(not said:find("though this CPU has it") and not said:find("ninja check  ", 1, true), said)
end)

fact.holds("ninja knows how to make the libraries, and no program", function()
  local said, code = shell("ninja -n all")
  fact.equal(code == 0 and "" or said, "")
  local edges = assert(fs.read(folder .. "out/kernels.ninja"))
  fact.contains(edges, "out/lib/libfar.so")
  assert(not edges:find("out/bin", 1, true) and not edges:find("libga_weights", 1, true))
end)

fact.holds("tests of such a build are refused in words", function()
  local said, code = shell(lua .. " tests/build/configure_tests.lua")
  fact.equal(said, "tests: they need jansson, which this compiler does not find\n")
  fact.equal(code, 1)
end)

fact.holds("an instruction set of another machine is not made on demand", function()
  local said, code = shell(("LUA=%s CC=./elsewhere-cc ./configure --d-model 8 --heads 2 --isa avx2"):format(lua))
  fact.equal(code, 1)
  fact.contains(said, "--isa avx2: the compiler is for elsewhere-linux-gnu\n")
end)

fact.holds("--install-deps asks for libraries of a machine that Debian has, in the place of this one's", function()
  assert(compat.execute(("mkdir -p %sbin"):format(folder)))
  local record = '"$*" >>out/calls'
  for name, line in pairs({ id = "echo 0", dpkg = "echo dpkg " .. record, ["apt-get"] = "echo " .. record }) do
    assert(fs.write_if_changed(("%sbin/%s"):format(folder, name), "#!/bin/sh\n" .. line .. "\n"))
    assert(compat.execute(("chmod +x %sbin/%s"):format(folder, name)))
  end
  local said = shell(("MACHINE=aarch64 PATH=$PWD/bin:$PATH LUA=%s CC=./elsewhere-cc ./configure --install-deps " ..
    "--d-model 8 --heads 2"):format(lua))
  fact.contains(said, "  libjansson-dev:arm64: reads the headers of weight files\n")
  local calls = assert(fs.read(folder .. "out/calls"))
  fact.contains(calls, "dpkg --add-architecture arm64\nupdate\ninstall ")
  fact.contains(calls, "libjansson-dev:arm64")
  assert(not calls:find("libcriterion", 1, true) and not calls:find("libjansson-dev ", 1, true), calls)
end)

fact.holds("--install-deps gets a cross compiler, its C library and the emulator first", function()
  local tools = "sh dirname ls readlink mkdir rm cat sed sort tr tail ln head " .. lua
  assert(compat.execute(("rm -f %sout/calls"):format(folder)))
  assert(compat.execute(("ln -sf $(for tool in %s; do command -v $tool; done) %sbin"):format(tools, folder)))
  local said, code = shell(("PATH=$PWD/bin LUA=%s ./configure --install-deps CC=aarch64-linux-gnu-gcc --runner " ..
    "'qemu-aarch64 -cpu max' --d-model 8 --heads 2"):format(lua))
  fact.contains(said, "installing them: apt-get install --yes --no-install-recommends binutils " ..
    "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user\n")
  fact.contains(said, "CC='aarch64-linux-gnu-gcc' is not a command\n") -- what plays apt-get brings none
  fact.equal(code, 1)
end)

-- Elsewhere the part of Criterion in tests/standins/ takes its place, whose lack would show there alone.
fact.holds("what the tests call of Criterion has a stand-in", function()
  local standin = assert(fs.read("tests/standins/criterion/criterion.h"))
  local used = compat.capture("grep -rhoE '\\bcr_[a-z_]+' tests --include='*.[ch]' --exclude-dir=standins | sort -u")
  assert(used:find("cr_assert_eq\n", 1, true), used)
  for name in used:gmatch("[%w_]+") do assert(standin:find("#define " .. name .. "(", 1, true), name .. " has none") end
end)

fact.finish()
