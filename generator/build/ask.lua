-- ask.lua: what the build must know of the compiler, the libraries and the tools, asked in one order.
-- Decides which instruction sets are built; exits nowhere: what cannot be is nil and a message.
local compat = require "base.compat"
local isa = require "isa"

local LOG = "out/config.log"

-- Every warning that the hand-written and the generated C are free of, under gcc and clang.
local WARNINGS = { "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wstrict-prototypes",
  "-Wmissing-prototypes", "-Wvla", "-Walloca" }
-- Has the compiler write, next to an object, what its functions call and take of the stack; gcc from 10 on.
local CALLGRAPH = "-fcallgraph-info=su"
-- Flags that let the compiler change results, which the tests promise it does not.
local REFUSED = { "-ffast-math", "-Ofast", "-funsafe-math-optimizations", "-ffinite-math-only", "-fassociative-math",
  "-freciprocal-math", "-ffp-contract=fast" }

-- -- Instruction sets -----------------------------------------------------------------------------------------------

-- Why an ISA cannot be in this build, or nil.
local function obstacle(prober, entry, machine)
  if entry.arch == "any" then return nil end
  if not isa.is_of(entry, machine) then return "the compiler is for " .. machine end
  if not prober:makes_isa(entry) then
    return ("the compiler does not take %s; see %s"):format(table.concat(entry.cflags, " "), LOG)
  end
end

-- What becomes of an ISA's instructions on this CPU: "usable", "disabled" by the operating system, or nil, for what it
-- lacks, and for all where the compiler is for another machine.
local function state_of(features, entry, machine)
  if not features or not isa.is_of(entry, machine) then return nil end
  local state = "usable"
  for _, name in ipairs(entry.cpu or {}) do
    if not features[name] then return nil end
    if features[name] == "disabled" then state = "disabled" end
  end
  return state
end

local WORDS = { usable = "yes", disabled = "yes, but the operating system has not enabled its registers" }

-- Each ISA in order, best first: { name, built, runs, cpu, off, is_of }; cpu as state_of gives it; is_of: it is of the
-- compiler's machine. features: the prober's; `asked` is a set of names, all of which must be possible, or nil for
-- those that are.
local function probe_isas(prober, machine, features, asked)
  local list = {}
  for i, name in ipairs(isa.names()) do
    local entry = isa.get(name)
    local off = asked and not asked[name] and "not in --isa" or obstacle(prober, entry, machine)
    if asked and asked[name] and off then return nil, ("--isa %s: %s"):format(name, off) end
    local state = state_of(features, entry, machine)
    list[i] = { name = name, built = not off, runs = not off and state == "usable", cpu = state, off = off,
      is_of = isa.is_of(entry, machine) }
    prober:report(name, off and "no: " .. off or WORDS[state] or "yes, but not on this CPU")
  end
  return list
end

-- Whether the linker can put a function before another, and a program stand before the C library's heap: glibc's names.
local WRAPPED = [[
void *__libc_memalign(unsigned long align, unsigned long size);
int __wrap_name(void);
int name(void);
int __wrap_name(void) { return 0; }
int main(void) { return name() + !__libc_memalign(64, 64); }
]]

-- Has clang look for numbers that nobody wrote.
local UNSET = "-fsanitize=memory -fno-omit-frame-pointer -g1"

-- -- Questions ------------------------------------------------------------------------------------------------------

-- nil where the user's flags are fit, else what is wrong with them.
local function refused_flag(variables)
  for _, flag in ipairs(REFUSED) do
    for _, name in ipairs({ "CC", "CPPFLAGS", "CFLAGS" }) do
      if (" " .. variables[name] .. " "):find(" " .. flag .. " ", 1, true) then
        return ("%s: %s is refused: it lets the compiler reorder sums and forget NaN and infinity, and masking and "
          .. "results with the same bits at any batch size need both"):format(name, flag)
      end
    end
  end
end

local function other_lua(prober)
  local _, is_jit = prober:run(prober.variables.LUA .. " -e 'assert(jit)'")
  return prober:program("a second Lua", { is_jit and "lua5.4" or "luajit" })
end

-- Whether and how the compiler's programs run, into answers, with the CPU's features; or nil and a message.
local function ask_runner(prober, settings, answers)
  local here, by_runner = prober:runs()
  if settings.runner and not by_runner then
    return nil, ("--runner: no program of the compiler '%s' runs by '%s'; an emulator may need the folder of shared " ..
      "libraries, as in 'qemu-aarch64 -L /usr/aarch64-linux-gnu'; see %s"):format(settings.variables.CC,
      settings.runner, LOG)
  end
  local features = prober:cpu_features()
  answers.runner, answers.is_cross = settings.runner, not here
  answers.runs, answers.features = features ~= nil, features
  if settings.runner then prober:report("programs of " .. settings.variables.CC, "run by " .. settings.runner) end
  return true
end

-- The compiler and what it takes, into answers; or nil and a message.
local function ask_compiler(prober, settings)
  local answers = { lua = ("%s (%s)"):format(settings.variables.LUA, compat.version) }
  local version, machine = prober:compiler()
  answers.compiler, answers.machine = version, machine
  prober:report("Lua", answers.lua)
  if not prober:takes_flags({ "-std=c11", "-ffp-contract=off" }) then
    return nil, ("the compiler %s does not take -std=c11 -ffp-contract=off; see %s"):format(answers.compiler, LOG)
  end
  answers.warnings = prober:accepted(WARNINGS)
  answers.callgraph = prober:accepted({ CALLGRAPH })[1]
  answers.precompiles, answers.reads_unfit = prober:precompiles()
  answers.targets_avx = machine:find("^x86_64") and prober:targets_avx()
  local asked, why = ask_runner(prober, settings, answers)
  if not asked then return nil, why end
  answers.isas, why = probe_isas(prober, machine, answers.features, settings.isas)
  if not answers.isas then return nil, why end
  answers.built = {}
  for _, entry in ipairs(answers.isas) do
    if entry.built then answers.built[#answers.built + 1] = entry.name end
  end
  return answers
end

-- Whether the wheels that --python asks for can be made; or nil and why not.
local function makes_wheels(prober, settings, answers)
  if settings.sanitize then return nil, "--python: a sanitizer must be the program's own, and python3 has none" end
  answers.wheel_platform = prober:wheel_platform()
  if not answers.wheel_platform then
    return nil, "--python: there is no python3 from 3.9 on (Debian: python3); see " .. LOG
  end
  if not answers.is_cross then return true end
  answers.wheel_platform = answers.jansson and prober:wheel_platform_of(answers.machine)
  if answers.wheel_platform then return true end
  return nil, ("--python: wheels for %s are made there: they need its jansson, and glibc or musl; see %s"):format(
    answers.machine, LOG)
end

-- Whether the modules that --lua asks for can be made; or nil and why not.
local function makes_lua(settings, answers)
  if answers.is_cross then return nil, "--lua: the compiler is for another machine, whose modules are made there" end
  if settings.sanitize then return nil, "--lua: a sanitizer must be the program's own, and Lua has none" end
  return true
end

-- What only work on genattn itself needs, into answers.
local function ask_for_maintainers(prober, settings, answers)
  answers.simde = prober:header("simde/x86/avx512.h")
  answers.wraps = not settings.sanitize and prober:links({}, WRAPPED, "-Wl,--wrap=name -ldl")
  answers.second_lua = other_lua(prober)
  answers.clang = prober:program("clang", { "clang" })
  answers.msan = answers.clang and prober:finds_unset(answers.clang, UNSET)
  answers.valgrind = prober:program("valgrind", { "valgrind" }) and prober:header("valgrind/memcheck.h") and "valgrind"
  answers.luacheck = prober:program("luacheck", { "luacheck" })
  answers.shellcheck = prober:program("shellcheck", { "shellcheck" })
  answers.clang_format = prober:program("clang-format", { "clang-format" })
  answers.qemu = prober:program("qemu-x86_64", { "qemu-x86_64" })
  answers.cross = prober:finds_cross("aarch64", "aarch64-linux-gnu-gcc", "qemu-aarch64")
  answers.cmake = prober:program("cmake", { "cmake" })
  answers.pkg_config = prober:program("pkg-config", { "pkg-config" })
  answers.musl = prober:program("a compiler for musl", { "musl-gcc" })
  answers.torch = prober:has_python("PyTorch", "torch")
  answers.wheel_platform = answers.makes_wheels and answers.wheel_platform or
    not answers.is_cross and prober:wheel_platform() or nil
  answers.numpy = not answers.is_cross and answers.wheel_platform and prober:has_python("numpy", "numpy")
end

-- The flags of an MPI, of which several may be installed beside each other; or nil.
local function ask_mpi(prober, mpicc)
  if mpicc ~= "" then return prober:wrapped("mpi", "mpi.h", mpicc) end
  return prober:library("mpi", "mpi.h", "mpich") or prober:library("mpi", "mpi.h", "ompi-c")
end

-- The flags of all that libga_text needs, or nil where a part is missing.
local function ask_text(prober, jansson)
  local utf8proc = prober:library("utf8proc", "utf8proc.h", "libutf8proc")
  local pcre2 = prober:library("pcre2-8", "pcre2.h", "libpcre2-8", { "-DPCRE2_CODE_UNIT_WIDTH=8" })
  if not utf8proc or not pcre2 then return nil end
  local text = { requires = "", plain = "" }
  for _, key in ipairs { "cflags", "libraries" } do
    text[key] = table.concat({ utf8proc[key], pcre2[key], jansson[key] }, " "):gsub("^%s+", "")
  end
  for _, library in ipairs { utf8proc, pcre2, jansson } do -- as ga_text.pc names them
    local key = library.module and "requires" or "plain"
    text[key] = (text[key] .. " " .. (library.module or library.libraries)):gsub("^ ", "")
  end
  return text
end

-- Criterion starts a test by executing the binary again, which needs no runner: where there is one, a part of Criterion
-- that the tests use stands in.
local function ask_criterion(prober, settings)
  if settings.runner then return { cflags = "-I tests/standins", libraries = "", is_standin = true } end
  return prober:library("criterion", "criterion/criterion.h")
end

-- Asks everything: `prober` what the user is told of, `quiet` what only work on genattn itself needs. Returns the
-- answers, or nil and a message. Answers: compiler, lua (words for people), machine (as the compiler names it),
-- warnings (flags), callgraph (a flag), precompiles (headers), reads_unfit (their text, where what was compiled does
-- not fit), targets_avx, runs (whether the compiler's programs run here, by answers.runner where that is given),
-- is_cross (they do not by themselves; booleans), isas (array of { name, built, runs, cpu, off }), built (ISA names,
-- best first), jansson, text, mpi, hwloc, lua54 and criterion ({ cflags, libraries }), second_lua, clang, luacheck,
-- shellcheck, clang_format, valgrind, qemu, cmake, pkg_config, musl (commands), msan (flags), dkjson, sqlite, simde,
-- wraps, torch, numpy (booleans); nil: not there. Where the compiler's programs run here there is jansson. cross:
-- { arch, cc, emulator }. wheel_platform: as wheels name this machine, where python3 is here; makes_wheels, makes_lua:
-- they were asked for.
return function(prober, quiet, settings)
  local refused = refused_flag(settings.variables)
  if refused then return nil, refused end
  local answers, why = ask_compiler(prober, settings)
  if not answers then return nil, why end
  answers.jansson = prober:library("jansson", "jansson.h")
  if not answers.jansson and answers.runs then
    return nil, "jansson (Debian: libjansson-dev) does not link; see " .. LOG
  end
  if settings.python then
    answers.makes_wheels, why = makes_wheels(prober, settings, answers)
    if not answers.makes_wheels then return nil, why end
  end
  if settings.lua then
    answers.makes_lua, why = makes_lua(settings, answers)
    if not answers.makes_lua then return nil, why end
  end
  if settings.mpi then
    local mpicc = settings.variables.MPICC
    answers.mpi = ask_mpi(prober, mpicc)
    if not answers.mpi then
      return nil, ("--with-mpi: no MPI links%s (Debian: libmpich-dev or libopenmpi-dev); see %s"):format(
        mpicc ~= "" and (" by the flags that '%s -show' prints"):format(mpicc) or "", LOG)
    end
  end
  answers.hwloc = settings.hwloc and prober:library("hwloc", "hwloc.h") or nil
  if settings.hwloc and not answers.hwloc then
    return nil, "--with-hwloc: hwloc (Debian: libhwloc-dev) does not link; see " .. LOG
  end
  answers.text = answers.jansson and ask_text(prober, answers.jansson)
  answers.sqlite = answers.text and prober:header("sqlite3ext.h")
  answers.lua54 = prober:library("lua5.4", "lua.h")
  answers.criterion = ask_criterion(prober, settings)
  answers.dkjson = prober:has_module("dkjson")
  ask_for_maintainers(quiet, settings, answers)
  return answers
end
