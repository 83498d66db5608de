-- dist_test.lua: the archive of one model, built where nothing is but make, a compiler and the basic commands:
-- lua dist_test.lua LUA CC. What `make check` of it finds out is the facts of kernels; here it must pass.
local packaging = dofile("tests/packaging/packaging.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"

local fact, succeeds, has = packaging.fact, packaging.succeeds, packaging.has
local folder = packaging.folder("dist")
local FULL = packaging.MODEL .. "-" .. require("build.release")().version
local ARCHIVE = "build/out/dist/" .. FULL .. ".tar.gz"

-- All that the PATH of a build holds besides a compiler; make calls sh by its path.
local COMMANDS = { "make", "as", "ld", "ar", "cat", "cp", "install", "ln", "mkdir", "rm", "rmdir" }
-- Compilers: commands that they call, the Debian package, and how the facts are checked, which .ci/run does with every
-- compiler.
local COMPILERS = {
  { name = "gcc", calls = {}, package = "gcc", checks = "" },
  { name = "clang", calls = {}, package = "clang" },
  { name = "musl-gcc", calls = { "x86_64-linux-gnu-gcc" }, package = "musl-tools", checks = "LDFLAGS=-static" },
}

local ninja = "cd build && ninja dist-" .. packaging.MODEL

packaging.configure(folder)
succeeds(folder, ninja)

fact.holds("the archive has the same bytes whenever it is made, and no time or owner of this machine", function()
  succeeds(folder, ("cp %s first.tar.gz && sleep 0.01 && umask 077 && %s"):format(ARCHIVE, ninja))
  succeeds(folder, ("cmp first.tar.gz %s"):format(ARCHIVE))
  local list = succeeds(folder, "TZ=UTC tar --numeric-owner -tvzf " .. ARCHIVE)
  for line in list:gmatch("[^\n]+") do assert(line:find(" 0/0 .* 1980%-01%-01 00:00 "), line) end
end)

fact.holds("it has C, two build files and what they install, and holds no path of this machine", function()
  succeeds(folder, "mkdir look && tar -xzf first.tar.gz -C look")
  for _, path in ipairs(packaging.tree(folder .. "look/" .. FULL)) do
    local is_c = path:find("^[%a]+/.*%.[ch]$")
    local is_known = path:find("^install/mha_512_8") or path == "mha_512_8.map" or path:find("^%u%a+[%w.]*$")
    assert(is_c or is_known, path)
  end
  fact.equal(packaging.run(folder, "grep -rlF \"$PWD\" look || grep -rlw jansson look/*/Makefile look/*/model"),
    ("look/%s/Makefile\n"):format(FULL))
end)

-- A folder whose PATH is all there is; the archive is unpacked in it. Returns both.
local function bare(compiler)
  local name, words = "with " .. compiler.name, {}
  for _, list in ipairs({ COMMANDS, { compiler.name }, compiler.calls }) do
    for _, command in ipairs(list) do
      words[#words + 1] = ("ln -s \"$(command -v %s)\" bin/%s"):format(command, command)
    end
  end
  succeeds(folder, ("mkdir '%s' && cd '%s' && mkdir bin && tar -xzf ../first.tar.gz && %s"):format(name, name,
    table.concat(words, " && ")))
  return folder .. name .. "/bin", folder .. name .. "/" .. FULL
end

-- Runs make with that PATH and nothing else of the environment.
local function make(path, where, compiler, words)
  return succeeds(where, ("env -i PATH=%s make -j2 CC=%s CFLAGS=-O0 PERCENT=1 %s"):format(fmt.sh_quote(path),
    compiler.name, words))
end

-- Installs, and links a program with the library there.
local function check_installed(path, where, compiler)
  local prefix, destdir = where .. "/a prefix", where .. "/a dest"
  for _, words in ipairs({ "PREFIX=%s install", "PREFIX=%s DESTDIR=%s install" }) do
    make(path, where, compiler, words:format(fmt.sh_quote(prefix), fmt.sh_quote(destdir)))
  end
  local layer = fmt.sh_quote(packaging.source() .. "/examples/layer.c")
  local words = "%s %s -o layer %s -I'a prefix/include' -L'a prefix/lib' -lmha_512_8 && mv 'a prefix/lib/'*.so . && " ..
    "LD_LIBRARY_PATH='a prefix/lib' ./layer && mv *.so 'a prefix/lib'"
  local said = succeeds(where, words:format(compiler.name, "", layer))
  fact.contains(said, "begins with")
  fact.equal(succeeds(where, words:format(compiler.name, "-static", layer)), said)
  fact.lists_equal(packaging.tree(destdir .. prefix), packaging.tree(prefix))
end

for _, compiler in ipairs(COMPILERS) do
  if has(compiler.name, "the archive by " .. compiler.name, compiler.package) then
    fact.holds(compiler.name .. " makes and installs it, and it passes, with nothing else in the PATH", function()
      local path, where = bare(compiler)
      make(path, where, compiler, "")
      check_installed(path, where, compiler)
      if not compiler.checks then return end
      local said = make(path, where, compiler, "check " .. compiler.checks)
      fact.contains(said, "1 models, ")
      fact.contains(said, " checks, 0 failed\n")
    end)
  end
end

fact.holds("make makes it where nobody names a compiler", function()
  succeeds(folder, ("mkdir plain && tar -xzf first.tar.gz -C plain && cd plain/%s && unset CC && " ..
    "make -j2 CFLAGS=-O0 && make check CFLAGS=-O0 PERCENT=1"):format(FULL))
end)

if has("pkg-config", "pkg-config in a tree that was moved", "pkgconf") then
  fact.holds("pkg-config finds the installed tree where it was moved", function()
    succeeds(folder, ("mv 'with gcc/%s/a prefix' 'is moved'"):format(FULL))
    local words = succeeds(folder, "PKG_CONFIG_PATH='is moved/lib/pkgconfig' pkg-config --cflags --libs mha_512_8")
    fact.contains(succeeds(folder, ("gcc -o layer %s %s && LD_LIBRARY_PATH='is moved/lib' ./layer"):format(
      fmt.sh_quote(packaging.source() .. "/examples/layer.c"), words:gsub("\n", ""))), "begins with")
  end)
end

fact.holds("the program, which reads weights from files, takes jansson besides", function()
  local path, where = folder .. "with gcc/bin", folder .. "with gcc/" .. FULL
  make(path, where, COMPILERS[1], "PREFIX=\"$PWD/other\" install-weights install-program")
  fact.contains(succeeds(where, "other/bin/mha_512_8 info"), "d_model 16")
  succeeds(where .. "/other", "test -s share/man/man1/mha_512_8.1 && test -e lib/libga_weights.a && " ..
    "test -s share/zsh/site-functions/_mha_512_8 && test -s share/fish/vendor_completions.d/mha_512_8.fish")
  make(path, where, COMPILERS[1], "clean")
  fact.lists_equal(packaging.tree(folder .. "look/" .. FULL .. "/model"), packaging.tree(where .. "/model"))
end)

fact.holds("uninstall removes what install, install-weights and install-program wrote, and nothing else", function()
  local path, where = folder .. "with gcc/bin", folder .. "with gcc/" .. FULL
  local other = where .. "/other/lib/pkgconfig/other.pc"
  succeeds(where, "echo mine >other/lib/mine && echo 'Cflags: -I/x/include/genattn' >" .. fmt.sh_quote(other))
  local said = make(path, where, COMPILERS[1], "PREFIX=\"$PWD/other\" uninstall")
  fact.contains(said, "include/genattn and libga_weights.a stay, for " .. other)
  fact.contains(succeeds(where .. "/other", "ls lib include"),
    "include:\ngenattn\n\nlib:\ncmake\nlibga_weights.a\nmine")
  succeeds(where, "rm " .. fmt.sh_quote(other))
  for _ = 1, 2 do make(path, where, COMPILERS[1], "PREFIX=\"$PWD/other\" uninstall") end
  fact.equal(succeeds(where .. "/other", "find . -type f"), "./lib/mine\n")
  fact.equal(succeeds(where .. "/other", "ls include lib/cmake"), "include:\n\nlib/cmake:\n")
end)

if has("cmake", "the archive by CMake", "cmake") then
  fact.holds("CMake builds it as a part of another project", function()
    succeeds(folder, ("mkdir project && tar -xzf first.tar.gz -C project && cp %s project/layer.c"):format(
      fmt.sh_quote(packaging.source() .. "/examples/layer.c")))
    require("base.fs").write_if_changed(folder .. "project/CMakeLists.txt", ([[
cmake_minimum_required(VERSION 3.13)
project(whole LANGUAGES C)
set(CMAKE_BUILD_TYPE Debug)
add_subdirectory(%s)
add_executable(layer layer.c)
target_link_libraries(layer PRIVATE mha_512_8::mha_512_8)
add_executable(layer_static layer.c)
target_link_libraries(layer_static PRIVATE mha_512_8::static)
]]):format(FULL))
    succeeds(folder, "cmake -S project -B made -DGA_WEIGHTS=ON && cmake --build made --parallel 2")
    fact.equal(succeeds(folder, "made/layer"), succeeds(folder, "made/layer_static"))
  end)
end

compat.execute("rm -rf " .. fmt.sh_quote(folder))
fact.finish()
