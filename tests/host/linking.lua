-- linking.lua: the library as users link it: lua linking.lua CC INCLUDE LIB WEIGHTS: a compiler (a command of words),
-- the folder of two models' headers, that of their libraries, and the part that reads weight files with what it needs.
-- Builds the programs of tests/host/linking by each compiler and in each way, and runs them: all must say the same, bit
-- for bit. What this machine lacks is skipped aloud. Knows no kernel.
package.path = "generator/?.lua;" .. package.path

local compat = require "base.compat"
local fmt = require "base.fmt"

local FIRST, SECOND = "small_24_3", "causal_64_4_right"
local OUT = "out/test/linking/made"

-- What each compiler's way to say C is, and the package that has it.
local COMPILERS = {
  { name = "gcc", as = "c", package = "gcc" },
  { name = "clang", as = "c", package = "clang" },
  { name = "g++", as = "c++", package = "g++" },
  { name = "clang++", as = "c++", package = "clang" },
}

-- Flags of a program that is linked with the shared libraries.
local SHARED = { "", "-no-pie -fno-pie", "-pie -fPIE", "-fPIC -pie -O2", "-O2 -flto", "-no-pie -fno-pie -O2 -flto",
  "-Wl,-z,now", "-no-pie -fno-pie -Wl,-z,now", "-rdynamic", "-fuse-ld=gold -no-pie -fno-pie",
  "-fuse-ld=lld -no-pie -fno-pie" }
-- And with the archives.
local STATIC = { "", "-no-pie -fno-pie", "-O2 -flto", "-static", "-static-pie -fPIE" }

local passed, failed, skipped = 0, 0, {}

local function check(ok, way, ...)
  if ok then
    passed = passed + 1
  else
    failed = failed + 1
    print(way, ...)
  end
end

local function skip(way, why)
  local line = ("skipped: %s: %s"):format(way, why)
  if not skipped[line] then print(line) end
  skipped[line] = true
end

-- What a command says of its version, or nil where there is none.
local function version(command)
  local output, code = compat.capture(command .. " --version")
  return code == 0 and output or nil
end

-- Whether the compiler can do this with a program that has nothing of ours: a linker or a C library may be missing.
local takes = {}

local function can(compiler, flags)
  local key = compiler.name .. " " .. flags
  if takes[key] == nil then
    local words = "echo 'int main(void) { return 0; }' | %s %s -x %s -o %s/nothing - -lm && %s/nothing"
    local _, code = compat.capture(words:format(compiler.command or compiler.name, flags, compiler.as, OUT, OUT))
    takes[key] = code == 0
  end
  return takes[key]
end

-- Compiles and links, runs, and holds what was said against what is expected.
local function try(compiler, way, source, flags, inputs, more, expected)
  local command = compiler.command or compiler.name
  local words = "%s -Wall -Wextra -I%s -Iout/include %s -x %s tests/host/linking/%s -x none -o %s/%s %s"
  local output, code = compat.capture(words:format(command, arg[2], flags, compiler.as, source, OUT,
    more.output or "program", inputs))
  check(code == 0, way, "does not link: " .. output)
  if code ~= 0 or not more.run then return output end
  output, code = compat.capture(("LD_LIBRARY_PATH=%s %s"):format(fmt.sh_quote(arg[3]), more.run))
  check(code == 0 and (not expected or output == expected), way, ("exit %d, %s\nexpected: %s"):format(code, output,
    expected or "no failure"))
  return output
end

local RUN = { run = OUT .. "/program" }

local function libraries(ending)
  return ("%s/lib%s.%s %s/lib%s.%s"):format(arg[3], FIRST, ending, arg[3], SECOND, ending)
end

-- By name, as users do it; `both`: of two models.
local function by_name(both)
  return ("-L%s -l%s%s"):format(arg[3], FIRST, both and " -l" .. SECOND or "")
end

local function each_way(compiler, kind, list, inputs, expected)
  for _, flags in ipairs(list) do
    local way = ("%s, %s %s"):format(compiler.name, kind, flags)
    if can(compiler, flags) then
      try(compiler, way, "program.c", flags, inputs(false), RUN, expected.one)
      try(compiler, way .. ", two models", "program.c", flags .. " -DTWO_MODELS", inputs(true), RUN, expected.two)
    else
      skip(way, "the compiler or the C library here does not make a program so")
    end
  end
end

-- A shared object of the user's, linked with the shared libraries or with the archives, in a program that knows nothing
-- of ours, and in one that is linked with the same libraries.
local function plugins(compiler, expected)
  for _, kind in ipairs({ "so", "a" }) do
    local way = ("%s, a plugin of lib*.%s"):format(compiler.name, kind)
    try(compiler, way, "plugin.c", "-shared -fPIC -DTWO_MODELS", libraries(kind) .. " -lm -pthread",
      { output = "plugin.so" })
    local run = { run = ("%s/program %s/plugin.so"):format(OUT, OUT) }
    try(compiler, way, "host.c", "", "-ldl", run, expected.two)
    for _, flags in ipairs({ "", "-no-pie -fno-pie" }) do
      try(compiler, way .. " in a program that is linked, too " .. flags, "host.c", flags .. " -DLINKED -DTWO_MODELS",
        by_name(true) .. " -ldl", run, expected.two .. expected.two)
    end
  end
end

local function check_compiler(compiler, expected)
  each_way(compiler, "shared", SHARED, by_name, expected)
  each_way(compiler, "static", STATIC, function(both) return by_name(both):gsub("%-l(%S+)", function(name)
    return ("%s/lib%s.a"):format(arg[3], name)
  end) .. " -lm -pthread" end, expected)
  for _, flags in ipairs({ "", "-no-pie -fno-pie" }) do
    try(compiler, compiler.name .. ", with files of weights " .. flags, "program.c", flags .. " -DWEIGHTS",
      arg[4] .. " " .. by_name(false), RUN, expected.one)
  end
  plugins(compiler, expected)
end

local function main()
  local own = { name = "the build's compiler", command = arg[1], as = "c" }
  compat.execute("mkdir -p " .. OUT)
  local archives = libraries("a") .. " -lm -pthread"
  local expected = { one = try(own, "first", "program.c", "", archives, RUN),
    two = try(own, "first, two models", "program.c", "-DTWO_MODELS", archives, RUN) }
  check(expected.two:find(FIRST .. " %S+ %x+\n" .. SECOND .. " %S+ %x+\n$") ~= nil, "first", expected.two)
  check_compiler(own, expected)
  local said = version(own.command)
  for _, compiler in ipairs(COMPILERS) do
    local its = version(compiler.name)
    if not its then
      skip(compiler.name, "not here (Debian: " .. compiler.package .. ")")
    elseif its ~= said and not can(compiler, "") then
      skip(compiler.name, "makes no program here")
    elseif its ~= said then -- else it is the build's
      check_compiler(compiler, expected)
    end
  end
  print(("%d passed, %d failed"):format(passed, failed))
  return failed == 0
end

os.exit(main() and 0 or 1)
