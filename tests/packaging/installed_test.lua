-- installed_test.lua: what `ninja install` leaves, used as other projects use a library: lua installed_test.lua LUA CC.
-- Looks at no kernel: a program that runs says that the right files are found.
local packaging = dofile("tests/packaging/packaging.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local fact, succeeds, has = packaging.fact, packaging.succeeds, packaging.has
local folder = packaging.folder("installed")
local PREFIX, DESTDIR = folder .. "pre fix", folder .. "dest dir"
local abi = fs.read("runtime/include/genattn/model.h"):match("GA_ABI = (%d+)")
local version = fs.read("program/commands/program.h"):match('GA_VERSION "([^"]+)"')
local layer = fmt.sh_quote(packaging.source() .. "/examples/layer.c")

-- The installation, but for headers of the runtime; V: the ABI.
local FILES = { "bin/mha_512_8", "include/mha_512_8.h", "lib/cmake/mha_512_8/mha_512_8-config-version.cmake",
  "lib/cmake/mha_512_8/mha_512_8-config.cmake", "lib/libga_weights.a", "lib/libmha_512_8.a", "lib/libmha_512_8.so",
  "lib/libmha_512_8.so.V", "lib/pkgconfig/mha_512_8-weights.pc", "lib/pkgconfig/mha_512_8.pc",
  "share/bash-completion/completions/mha_512_8", "share/fish/vendor_completions.d/mha_512_8.fish",
  "share/man/man1/mha_512_8.1", "share/zsh/site-functions/_mha_512_8" }

-- Those of libga_text, where what it needs was found.
local TEXT = { "include/genattn/ga_text.h", "lib/libga_text.a", "lib/libga_text.so", "lib/libga_text.so.V",
  "lib/pkgconfig/ga_text.pc" }

local function expected_files(prefix)
  local list = { prefix .. "include/genattn/genattn.hpp" }
  if fs.exists(folder .. "build/out/lib/libga_text.a") then
    for _, path in ipairs(TEXT) do list[#list + 1] = prefix .. path:gsub("V$", abi) end
  end
  for _, name in ipairs(fs.list("runtime/include/genattn")) do
    list[#list + 1] = prefix .. "include/genattn/" .. name
  end
  for _, path in ipairs(FILES) do list[#list + 1] = prefix .. path:gsub("V$", abi) end
  table.sort(list)
  return list
end

packaging.configure(folder, "--prefix " .. fmt.sh_quote(PREFIX))
succeeds(folder .. "build", "ninja && ninja install")

fact.holds("headers, libraries and what finds them are installed, and nothing else", function()
  fact.lists_equal(packaging.tree(PREFIX), expected_files(""))
  fact.equal(succeeds(PREFIX, "readlink lib/libmha_512_8.so"), "libmha_512_8.so." .. abi .. "\n")
end)

fact.holds("DESTDIR stands before all of it, and a second time changes nothing", function()
  succeeds(folder .. "build", ("for i in 1 2; do DESTDIR=%s ninja install; done"):format(fmt.sh_quote(DESTDIR)))
  fact.lists_equal(packaging.tree(DESTDIR), expected_files(PREFIX:sub(2) .. "/"))
end)

fact.holds("files that all may read, whatever the umask", function()
  succeeds(folder .. "build", "umask 077 && DESTDIR=$PWD/masked ninja install")
  fact.equal(succeeds(folder .. "build", "find masked -type f ! -perm -444; find masked -type d ! -perm -755"), "")
end)

-- What examples/layer.c says, first linked as no tool is needed for; the same then in every other way.
local said

-- Compiles and runs it. flags: words of sh.
local function uses(compiler, flags, libraries)
  succeeds(folder, ("rm -f layer && %s -o layer %s %s %s"):format(compiler, flags, layer, libraries))
  local line = succeeds(folder, ("LD_LIBRARY_PATH=%s ./layer"):format(fmt.sh_quote(PREFIX .. "/lib")))
  fact.contains(line, "begins with")
  said = said or line
  fact.equal(line, said)
end

fact.holds("a program links by the paths alone, and needs only the library with the number of the ABI", function()
  uses("$CC", ("-I%s/include"):format(fmt.sh_quote(PREFIX)),
    ("-L%s/lib -lmha_512_8"):format(fmt.sh_quote(PREFIX)))
  succeeds(PREFIX, "mv lib/libmha_512_8.so away")
  succeeds(folder, ("LD_LIBRARY_PATH=%s ./layer"):format(fmt.sh_quote(PREFIX .. "/lib")))
  succeeds(PREFIX, "mv away lib/libmha_512_8.so")
end)

-- Words of sh that are what pkg-config says of a package.
local function asked(words)
  local path = fmt.sh_quote(PREFIX .. "/lib/pkgconfig")
  return succeeds(folder, ("PKG_CONFIG_PATH=%s pkg-config %s"):format(path, words)):gsub("\n", "")
end

if has("pkg-config", "pkg-config", "pkgconf") then
  fact.holds("pkg-config finds the shared library and the archive, below a prefix with a blank", function()
    uses("$CC", asked("--cflags mha_512_8"), asked("--libs mha_512_8"))
    uses("$CC -static", asked("--cflags mha_512_8"), asked("--static --libs mha_512_8"))
    fact.equal(asked("--modversion mha_512_8"), version)
  end)

  fact.holds("pkg-config finds the part that reads files of weights", function()
    local source = fmt.sh_quote(packaging.source() .. "/tests/packaging/weights.c")
    local words = asked("--cflags --libs mha_512_8-weights")
    succeeds(folder, ("$CC -o weights %s %s && LD_LIBRARY_PATH=%s ./weights"):format(source, words,
      fmt.sh_quote(PREFIX .. "/lib")))
  end)

  if fs.exists(PREFIX .. "/lib/pkgconfig/ga_text.pc") then
    fact.holds("pkg-config finds the library of tokenizers, shared and as an archive with what that needs", function()
      local source = fmt.sh_quote(packaging.source() .. "/tests/packaging/tokenizer.c")
      for _, how in ipairs({ { "", "" }, { "-static", "--static" } }) do
        local words = asked("--cflags " .. how[2] .. " --libs ga_text")
        succeeds(folder, ("$CC %s -o tokens %s %s && LD_LIBRARY_PATH=%s ./tokens"):format(how[1],
          source, words, fmt.sh_quote(PREFIX .. "/lib")))
      end
    end)
  end

  fact.holds("C++ takes the header", function()
    local cxx = packaging.cc:gsub("gcc", "g++"):gsub("clang%f[%A]", "clang++")
    if has(cxx:match("%S+$"), "a program in C++", "g++") then
      uses(cxx .. " -std=c++17 -Wall -Wextra -Wpedantic -Werror -x c++", asked("--cflags mha_512_8"),
        "-x none " .. asked("--libs mha_512_8"))
    end
  end)
end

-- What the version file says of a version: [asked for] = taken.
local VERSIONS = { { version, true }, { version:match("^%d+%.%d+"), true }, { version .. ".1", false },
  { "99.0", false } }

local function is_taken(asked_for)
  local script = folder .. "version.cmake"
  local major, minor = asked_for:match("^(%d+)%.(%d+)")
  fs.write_if_changed(script, ("set(PACKAGE_FIND_VERSION %s)\nset(PACKAGE_FIND_VERSION_MAJOR %s)\n" ..
    "set(PACKAGE_FIND_VERSION_MINOR %s)\ninclude(\"%s/lib/cmake/mha_512_8/mha_512_8-config-version.cmake\")\n" ..
    "message(\"${PACKAGE_VERSION_COMPATIBLE}\")\n"):format(asked_for, major, minor, PREFIX))
  return succeeds(folder, "cmake -P version.cmake") == "TRUE\n"
end

if has("cmake", "CMake", "cmake") then
  fact.holds("CMake finds the shared library and the archive in a tree that was moved", function()
    local source = fmt.sh_quote(packaging.source() .. "/examples/cmake")
    succeeds(folder, ("cmake -S %s -B cmake -DCMAKE_PREFIX_PATH=%s && cmake --build cmake"):format(source,
      fmt.sh_quote(DESTDIR .. PREFIX)))
    for _, program in ipairs({ "cmake/layer", "cmake/layer_static" }) do
      fact.equal(succeeds(folder, program), said)
    end
  end)

  fact.holds("CMake takes versions of the same minor number, up to this one", function()
    for _, row in ipairs(VERSIONS) do fact.equal(is_taken(row[1]), row[2]) end
  end)
end

-- -- What the program says of itself --------------------------------------------------------------------------------

local PAGE = PREFIX .. "/share/man/man1/mha_512_8.1"

fact.holds("the manual has every option of every command's --help", function()
  local page, n = fs.read(PAGE):gsub("\\%-", "-"), 0
  for command in succeeds(folder, "build/out/bin/mha_512_8 --help"):gmatch("\n  (%l+) ") do
    fact.contains(page, ("\n.SS \"%s"):format(command))
    local help = succeeds(folder, ("build/out/bin/mha_512_8 %s --help"):format(command))
    for option in help:gmatch("\n  (%-%-%l[%w-]*)") do
      fact.contains(page, option)
      n = n + 1
    end
  end
  assert(n > 40, n)
end)

if has("groff", "the manual page through roff", "groff-base") then
  fact.holds("roff has nothing to say against the manual", function()
    fact.equal(succeeds(folder, ("groff -man -ww -Tascii %s 2>&1 >/dev/null"):format(fmt.sh_quote(PAGE))), "")
  end)
end

-- The completions ask the program that is typed.
local ON_PATH = ("PATH=%s:$PATH; "):format(fmt.sh_quote(PREFIX .. "/bin"))

-- What bash offers after these words, the last of which is being typed.
local function completed(...)
  local words = {}
  for i, word in ipairs({ ... }) do words[i] = fmt.sh_quote(word) end
  local script = ON_PATH .. ("source %s; COMP_WORDS=(%s) COMP_CWORD=%d; _mha_512_8; echo ${COMPREPLY[*]}"):format(
    fmt.sh_quote(PREFIX .. "/share/bash-completion/completions/mha_512_8"), table.concat(words, " "), #words - 1)
  return (succeeds(folder, "bash -c " .. fmt.sh_quote(script)):gsub("\n", ""))
end

if has("bash", "completion", "bash") then
  fact.holds("bash completes commands, options and what an option may be given", function()
    fact.equal(completed("mha_512_8", "ins"), "inspect")
    fact.equal(completed("mha_512_8", "--v"), "--version")
    fact.equal(completed("mha_512_8", "info", "--tim"), "--timeline")
    fact.equal(completed("mha_512_8", "help", "ins"), "inspect")
    fact.equal(completed("mha_512_8", "--completion", "z"), "zsh")
    fact.equal(completed("mha_512_8", "run", "--isa", ""), "scalar")
    fact.contains(completed("mha_512_8", "run", "--weights-layout", "torch"), "torch_mha")
    fact.equal(completed("mha_512_8", "run", "--weights", "--"), "")
  end)
end

-- What zsh's own functions are given where these words are complete; the last is being typed.
local ZSH = [[
_describe() { print -r -- describe "${(@P)4}" }
_files() { print -r -- files }
words=("$@") CURRENT=$#
source "$SCRIPT"
]]

if has("zsh", "completion for zsh", "zsh") then
  fs.write_if_changed(folder .. "complete.zsh", ZSH)
  local function offered(words)
    return succeeds(folder, ON_PATH .. ("SCRIPT=%s zsh -f complete.zsh %s"):format(
      fmt.sh_quote(PREFIX .. "/share/zsh/site-functions/_mha_512_8"), words))
  end
  fact.holds("zsh completes commands, options and what an option may be given", function()
    fact.contains(offered("mha_512_8 in"), "inspect:check a file of weights and list what it holds")
    fact.contains(offered("mha_512_8 --v"), "--version:version and model")
    fact.contains(offered("mha_512_8 run --isa s"), "scalar:instruction set to use")
    fact.contains(offered("mha_512_8 run --w"), "--weights:safetensors or GGUF file")
    fact.equal(offered("mha_512_8 run --weights ''"), "files\n")
    fact.contains(offered("mha_512_8 --completion f"), "fish:")
  end)
end

if has("fish", "completion for fish", "fish") then
  local function offered(words)
    return succeeds(folder, ON_PATH .. "fish --no-config -c " .. fmt.sh_quote(("source %s; complete -C %s"):format(
      fmt.sh_quote(PREFIX .. "/share/fish/vendor_completions.d/mha_512_8.fish"), fmt.sh_quote(words))))
  end
  fact.holds("fish completes commands, options and what an option may be given", function()
    fact.equal(offered("mha_512_8 ins"), "inspect\tcheck a file of weights and list what it holds\n")
    fact.equal(offered("mha_512_8 --v"), "--version\tversion and model\n")
    fact.equal(offered("mha_512_8 run --isa "), "scalar\tinstruction set to use\n")
    fact.contains(offered("mha_512_8 run --weights-layout torch"), "torch_mha\t")
    fact.contains(offered("mha_512_8 help ins"), "inspect\t")
  end)
end

-- -- What is removed -------------------------------------------------------------------------------------------------

fact.holds("uninstall removes what was installed below DESTDIR, and nothing that others put there", function()
  local dest, build = fmt.sh_quote(DESTDIR), folder .. "build"
  succeeds(folder, ("touch %s%s/lib/theirs"):format(dest, fmt.sh_quote(PREFIX)))
  local before = packaging.tree(PREFIX)
  succeeds(build, ("DESTDIR=%s/ ninja uninstall"):format(dest))
  fact.lists_equal(packaging.tree(DESTDIR), { PREFIX:sub(2) .. "/lib/theirs" })
  fact.equal(succeeds(folder, ("find %s -type d -empty"):format(dest)), "")
  fact.lists_equal(packaging.tree(PREFIX), before)
end)

fact.holds("uninstall finds what an earlier configuration installed, with the folders that it made", function()
  local build = folder .. "build"
  succeeds(build, ("./configure %s --prefix=/elsewhere"):format(packaging.OPTIONS))
  fact.contains(succeeds(build, "ninja uninstall"), "uninstall: removed ")
  assert(not fs.exists(PREFIX), "the prefix is still there")
  fact.contains(succeeds(build, "ninja uninstall"), "there is nothing")
  fact.contains(succeeds(build, "DESTDIR=masked ninja uninstall"), "uninstall: removed ")
  assert(not fs.exists(build .. "/masked"), "DESTDIR is still there")
end)

compat.execute("rm -rf " .. fmt.sh_quote(folder))
fact.finish()
