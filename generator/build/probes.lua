-- probes.lua: questions put to the compiler and the system, each with its command and output in out/config.log.
-- Decides nothing: what an answer means for the build is the caller's.
local compat = require "base.compat"
local fmt = require "base.fmt"
local fs = require "base.fs"

local probes = {}

local SOURCE, PROGRAM = "out/probe/probe.c", "out/probe/probe"

local Prober = {}
Prober.__index = Prober

-- A prober for these variables (CC, CFLAGS, ...). log: an open file; say: called with each line for the user; runner:
-- what runs the compiler's programs, where they do not run by themselves, or nil.
function probes.new(variables, log, say, runner)
  return setmetatable({ variables = variables, log = log, say = say, runner = runner }, Prober)
end

-- Runs a shell command; returns its output and whether it succeeded.
function Prober:run(command)
  local output, code = compat.capture(command .. " </dev/null")
  self.log:write("\n$ ", command, "\n", output, ("=> exit %d\n"):format(code))
  return output, code == 0
end

-- Tells the user what was asked and answered.
function Prober:report(question, answer)
  self.log:write("# checking for ", question, "... ", answer, "\n")
  self.say(("checking for %s... %s"):format(question, answer))
end

-- Whether the compiler takes the flags and makes a program of the source, with these libraries after it.
function Prober:links(flags, source, libraries)
  self.log:write("\n# probe.c:\n", source)
  assert(fs.write_if_changed(SOURCE, source) ~= nil)
  local v = self.variables
  local command = table.concat({ v.CC, table.concat(flags, " "), v.CPPFLAGS, v.CFLAGS, "-o", PROGRAM, SOURCE, v.LDFLAGS,
    libraries or "" }, " ")
  local _, ok = self:run(command)
  return ok
end

local EMPTY_PROGRAM = "int main(void) { return 0; }\n"

-- Whether the compiler takes these flags; -Werror makes clang refuse what it would only warn of.
function Prober:takes_flags(flags)
  local strict = { "-Werror" }
  for _, flag in ipairs(flags) do strict[#strict + 1] = flag end
  return self:links(strict, EMPTY_PROGRAM)
end

-- Those of the flags that the compiler takes, in order.
function Prober:accepted(flags)
  if self:takes_flags(flags) then return flags end
  local kept = {}
  for _, flag in ipairs(flags) do
    if self:takes_flags({ flag }) then kept[#kept + 1] = flag end
  end
  return kept
end

-- The compiler's name and version, and the machine it compiles for: "x86_64-linux-gnu".
function Prober:compiler()
  local cc = self.variables.CC
  local version = self:run(cc .. " --version"):match("^[^\n]*")
  if version:sub(1, #cc) ~= cc then version = cc .. ": " .. version end
  local machine = self:run(cc .. " -dumpmachine"):match("^%S*")
  self:report("C compiler", version)
  return version, machine
end

-- Lines that compile where the header is found. Headers of intrinsics take a quarter of a second to read, so they are
-- only looked for, by what C compilers have had since gcc 5.
local function finding(header)
  return ("#ifndef __has_include\n#include <%s>\n#elif !__has_include(<%s>)\n#error \"no %s\"\n#endif\n"):format(
    header, header, header)
end

-- Whether the compiler compiles a header, and uses what it made of it; and whether it reads the text where that is
-- unfit, by another flag. No file includes a header that is compiled, and one does where its text is read; gcc and
-- clang both find the one that is compiled beside it.
function Prober:precompiles()
  local v, header = self.variables, "out/probe/header.h"
  assert(fs.write_if_changed(header, "#if __INCLUDE_LEVEL__ == 0\n#define IS_COMPILED\n#endif\n") ~= nil)
  local _, ok = self:run(("%s %s %s -x c-header -c %s -o %s.gch"):format(v.CC, v.CPPFLAGS, v.CFLAGS, header, header))
  local program = "#if%s IS_COMPILED\n#error \"the other\"\n#endif\n" .. EMPTY_PROGRAM
  local uses = ok and self:links({ "-include", header }, program:format("ndef"))
  return uses, uses and self:links({ "-include", header, "-ffast-math" }, program:format("def"))
end

-- Whether the compiler makes code for an ISA of generator/isa, by its flags and headers.
function Prober:makes_isa(isa)
  local lines = {}
  for i, header in ipairs(isa.headers or {}) do lines[i] = finding(header) end
  return self:links(isa.cflags, table.concat(lines) .. EMPTY_PROGRAM)
end

-- Says what runtime/include/genattn/cpu.h finds: a line "usable NAME" or "disabled NAME" for each feature.
local FINDS = [[
#include <stdio.h>

#include "cpu.h"

int main(void)
{
    const struct ga_cpu_found found = ga_cpu_find(UINT32_MAX);
#define SAY(name, ...)                      \
    if (found.usable & GA_CPU_##name)       \
        puts("usable " #name);              \
    else if (found.disabled & GA_CPU_##name) \
        puts("disabled " #name);
    GA_CPU_LIST(SAY)
    return 0;
}
]]

-- Whether the compiler's programs run here, by themselves and by the runner; nil where there is none.
function Prober:runs()
  if not self:links({}, EMPTY_PROGRAM) then return false, false end
  local _, here = self:run("./" .. PROGRAM)
  local _, by_runner = self:run(("%s ./%s"):format(self.runner or "false", PROGRAM))
  return here, by_runner
end

-- What this CPU has of the features in runtime/include/genattn/cpu.h: a table by their names, of "usable", or
-- "disabled" where the operating system has not enabled their registers. nil where the compiler's programs do not run
-- here.
function Prober:cpu_features()
  local sources = "runtime/base/cpu.c runtime/base/cpu_decode.c runtime/base/on_linux.c"
  if not self:links({ "-std=c11", "-I runtime/base -I runtime/include/genattn" }, FINDS, sources) then return nil end
  local output, ok = self:run(("%s ./%s"):format(self.runner or "", PROGRAM))
  if not ok then return nil end
  local found = {}
  for state, name in output:gmatch("(%l+) (%S+)") do found[name] = state end
  return found
end

-- Whether the compiler, told nothing, makes code for CPUs with AVX alone.
function Prober:targets_avx()
  return not self:links({}, "#ifdef __AVX__\n#error \"AVX\"\n#endif\n" .. EMPTY_PROGRAM)
end

-- The flags, where this compiler makes a program with them that runs; else nil.
function Prober:finds_unset(cc, flags)
  local command = ("%s %s -o %s %s && ./%s"):format(cc, flags, PROGRAM, SOURCE, PROGRAM)
  assert(fs.write_if_changed(SOURCE, EMPTY_PROGRAM) ~= nil)
  local _, ok = self:run(command)
  self:report("a memory sanitizer", ok and cc .. " " .. flags or "no")
  return ok and flags or nil
end

-- { arch, cc, emulator } where the cross compiler makes a static program that the emulator runs here; else nil.
function Prober:finds_cross(arch, cc, emulator)
  assert(fs.write_if_changed(SOURCE, EMPTY_PROGRAM) ~= nil)
  local _, ok = self:run(("%s -static -o %s %s && %s %s"):format(cc, PROGRAM, SOURCE, emulator, PROGRAM))
  self:report(arch .. ", emulated", ok and cc .. ", " .. emulator or "no")
  return ok and { arch = arch, cc = cc, emulator = emulator } or nil
end

-- A C library: its compile and link flags, or nil. pkg-config is asked first, by `package` where that is not the name,
-- then the plain -l<name> is tried. module: what pkg-config knows it by, false where it does not. needed: flags without
-- which the header cannot be read.
function Prober:library(name, header, package, needed)
  local cflags, libraries = "", "-l" .. name
  local module = package or name
  local output, known = self:run("pkg-config --cflags " .. module .. " && pkg-config --libs " .. module)
  if known then cflags, libraries = output:match("^([^\n]*)\n([^\n]*)") end
  local found = self:linked(name, header, cflags, libraries, needed)
  if found then found.module = known and module end
  return found
end

-- The same of a library whose own compiler, such as mpicc, prints what it adds to the command of a C compiler.
function Prober:wrapped(name, header, wrapper)
  local cflags, libraries = {}, {}
  for word in self:run(wrapper .. " -show"):match("^%S*([^\n]*)"):gmatch("%S+") do
    local list = word:find("^%-[ID]") and cflags or libraries
    list[#list + 1] = word
  end
  return self:linked(name, header, table.concat(cflags, " "), table.concat(libraries, " "))
end

-- The flags of a library where a program that includes its header links with them; or nil.
function Prober:linked(name, header, cflags, libraries, needed)
  local flags = { cflags }
  for i, flag in ipairs(needed or {}) do flags[i + 1] = flag end
  local found = self:links(flags, "#include <" .. header .. ">\n" .. EMPTY_PROGRAM, libraries)
  self:report("lib" .. name, found and libraries:gsub("%s+$", "") or "no")
  return found and { cflags = cflags:gsub("%s+$", ""), libraries = libraries:gsub("%s+$", "") } or nil
end

-- Whether the compiler finds a header that needs no library.
function Prober:header(header)
  local found = self:links({}, finding(header) .. EMPTY_PROGRAM)
  self:report(header, found and "yes" or "no")
  return found
end

-- The first of the commands that exists, or nil.
function Prober:program(what, commands)
  for _, command in ipairs(commands) do
    local _, found = self:run("command -v " .. fmt.sh_quote(command))
    if found then
      self:report(what, command)
      return command
    end
  end
  self:report(what, "no")
end

-- Whether the Lua that runs the generator has a module.
function Prober:has_module(name)
  local _, found = self:run(("%s -e 'require \"%s\"'"):format(self.variables.LUA, name))
  self:report(name, found and "yes" or "no")
  return found
end

-- The machine as Python names it in wheels, linux_x86_64; nil where there is no python3 that can make one.
function Prober:wheel_platform()
  local script = "import sys, sysconfig; assert sys.version_info >= (3, 9); import zipfile, zlib; " ..
    'print(sysconfig.get_platform().replace("-", "_").replace(".", "_"))'
  local output, made = self:run("python3 -c " .. fmt.sh_quote(script))
  local platform = made and output:match("^[%w_]+") or nil
  self:report("Python, for wheels", platform or "no")
  return platform
end

-- The machine that the compiler is for, as wheels name it, by its C library: manylinux_2_36_aarch64; nil for what is
-- neither glibc's nor musl's, whose headers say no version.
function Prober:wheel_platform_of(machine)
  assert(fs.write_if_changed(SOURCE, "#include <stdlib.h>\nglibc __GLIBC__ __GLIBC_MINOR__\n") ~= nil)
  local said = self:run(("%s %s -E -P %s"):format(self.variables.CC, self.variables.CPPFLAGS, SOURCE))
  local major, minor = said:match("glibc (%d+) (%d+)")
  local system = major and ("manylinux_%s_%s"):format(major, minor) or machine:find("musl") and "musllinux_1_2"
  local platform = system and ("%s_%s"):format(system, machine:match("^[^-]*")) or nil
  self:report("wheels of " .. machine, platform or "no")
  return platform
end

-- Whether python3 can import a module, without the seconds that importing takes.
function Prober:has_python(what, module)
  local script = ('import importlib.util, sys; sys.exit(not importlib.util.find_spec("%s"))'):format(module)
  local _, found = self:run("python3 -c " .. fmt.sh_quote(script))
  self:report(what, found and "yes" or "no")
  return found
end

return probes
