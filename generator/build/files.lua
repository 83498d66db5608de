-- files.lua: the texts that configure writes in addition to the edges: out/config.ninja and its depfile. Writes nothing
-- itself.
local fmt = require "base.fmt"
local fs = require "base.fs"
local isa = require "isa"
local ninja = require "ninja"

local files = {}

-- With -g1 there are the lines that reports name; all that -g writes takes gcc as long again.
local SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -DGA_DEBUG"
local RACES = "-fsanitize=thread -fno-omit-frame-pointer -g1"

-- Command line of the next run, quoted for sh.
local function next_run(settings)
  local words = { "./configure" }
  for _, argument in ipairs(settings.arguments) do words[#words + 1] = fmt.sh_quote(argument) end
  return table.concat(words, " ")
end

-- The best instruction set that this CPU runs, for tests of what the text of templates means, whatever spells it.
local function checked_isa(answers)
  for _, entry in ipairs(answers.isas) do
    if entry.runs then return entry.name end
  end
  return answers.built[1]
end

-- The flag by which tests compile portable C for the fused multiply-add of this CPU, or "": it gives the bits of the
-- one that is written in C, and facts take a quarter of the time.
local function fused(answers)
  for _, flag in ipairs(isa.get(checked_isa(answers)).cflags) do
    if flag == "-mfma" then return flag end
  end
  return ""
end

-- Whether the library's use of the stack is known: other builds than the usual one take as much as they like.
function files.measures_stack(settings, answers)
  return answers.callgraph ~= nil and not settings.debug and not settings.sanitize
end

-- out/known_isas.c: the table of program/report/isas.h.
function files.known_isas(answers)
  local lines = { "// Written by configure: the instruction sets that genattn knows, best first.",
    '#include "isas.h"', "", "const struct ga_isa ga_isas[] = {" }
  for _, entry in ipairs(answers.isas) do
    local bits = {}
    for i, feature in ipairs(isa.get(entry.name).cpu) do bits[i] = "GA_CPU_" .. feature end
    lines[#lines + 1] = ("    {%s, %s, %s},"):format(fmt.c_string(entry.name),
      #bits > 0 and table.concat(bits, " | ") or "0", entry.off and fmt.c_string(entry.off) or "NULL")
  end
  lines[#lines + 1] = "    {NULL, 0, NULL},\n};\n"
  return table.concat(lines, "\n")
end

-- The flag by which warnings end the build, or "".
function files.werror(settings)
  return settings.werror and "-Werror" or ""
end

-- out/config.ninja: the variables build.ninja's rules use.
function files.config(settings, answers)
  local v, w = settings.variables, ninja.writer()
  local absent = { cflags = "", libraries = "" }
  local jansson, criterion = answers.jansson or absent, answers.criterion or absent
  local text, mpi, hwloc = answers.text or absent, answers.mpi or absent, answers.hwloc or absent
  local warnings = table.concat(answers.warnings, " ") .. " " .. files.werror(settings)
  local rows = {
    { "configure", next_run(settings) }, { "cc", v.CC }, { "ar", v.AR }, { "lua", v.LUA },
    { "runner", answers.runner or "" },
    { "cppflags", v.CPPFLAGS }, { "cflags", v.CFLAGS }, { "ldflags", v.LDFLAGS },
    { "warnings", warnings }, { "werror", files.werror(settings) },
    { "opt", settings.debug and "-O0" or "-O2" }, { "kernel_opt", settings.debug and "-O0" or "-O2" },
    { "check_opt", settings.debug and "-O0" or "-Og" },
    { "debug", (settings.debug or settings.sanitize) and "-g" or "" },
    { "callgraph", files.measures_stack(settings, answers) and answers.callgraph or "" },
    { "mode", settings.sanitize and SANITIZE or "" }, { "sanitize", SANITIZE .. " -g1" },
    { "races", RACES }, { "clang", answers.clang or "clang" }, { "unset", answers.msan or "" },
    { "cross_cc", answers.cross and answers.cross.cc or "" },
    { "valgrind_cflags", answers.valgrind and "-DGA_VALGRIND" or "" }, { "checked_isa", checked_isa(answers) },
    { "fused", fused(answers) },
    { "jansson_cflags", jansson.cflags }, { "criterion_cflags", criterion.cflags },
    { "text_cflags", text.cflags }, { "text_libraries", text.libraries },
    { "mpi_cflags", mpi.cflags }, { "mpi_libraries", mpi.libraries },
    { "hwloc_cflags", hwloc.cflags }, { "hwloc_libraries", hwloc.libraries },
    { "program_libraries", jansson.libraries .. " -lm -pthread" },
    { "test_libraries", table.concat({ text.libraries, jansson.libraries, criterion.libraries, "-lm -pthread" },
      " ") },
  }
  w:comment("Written by configure.")
  for _, row in ipairs(rows) do w:variable(row[1], row[2]) end
  return w:text()
end

-- The depfile of a ninja file: everything whose change may change it. folders: those that were listed.
function files.depfile(path, folders)
  local inputs = fs.inputs()
  for _, folder in ipairs(folders) do inputs[#inputs + 1] = folder end
  return ninja.depfile(path, inputs)
end

return files
