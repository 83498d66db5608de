-- files.lua: the texts configure writes beside the edges: out/config.ninja, the lists of test steps, its depfile.
-- Writes nothing itself.
local fmt = require "base.fmt"
local fs = require "base.fs"
local ninja = require "ninja"
local text = require "base.text"

local files = {}

local SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

-- Folders configure lists, so that a new file in one of them runs it again.
local FOLDERS = { "program", "runtime", "tests", "tests/generator", "tests/specs", "tests/support" }

-- Command line of the next run, quoted for sh.
local function next_run(settings)
  local words = { "./configure" }
  for _, argument in ipairs(settings.arguments) do words[#words + 1] = fmt.sh_quote(argument) end
  return table.concat(words, " ")
end

-- out/config.ninja: the variables build.ninja's rules use.
function files.config(settings, answers)
  local v, w = settings.variables, ninja.writer()
  local criterion = answers.criterion or { cflags = "", libraries = "" }
  local warnings = table.concat(answers.warnings, " ") .. (settings.werror and " -Werror" or "")
  local rows = {
    { "configure", next_run(settings) }, { "cc", v.CC }, { "ar", v.AR }, { "lua", v.LUA },
    { "cppflags", v.CPPFLAGS }, { "cflags", v.CFLAGS }, { "ldflags", v.LDFLAGS }, { "warnings", warnings },
    { "opt", settings.debug and "-O0" or "-O2" }, { "kernel_opt", settings.debug and "-O0" or "-O2" },
    { "debug", (settings.debug or settings.sanitize) and "-g" or "" },
    { "mode", settings.sanitize and SANITIZE or "" }, { "sanitize", SANITIZE .. " -g" },
    { "jansson_cflags", answers.jansson.cflags }, { "criterion_cflags", criterion.cflags },
    { "program_libraries", answers.jansson.libraries .. " -lm" },
    { "test_libraries", table.concat({ answers.jansson.libraries, criterion.libraries, "-lm" }, " ") },
    { "bindir", fmt.sh_quote(settings.bindir) }, { "libdir", fmt.sh_quote(settings.libdir) },
    { "includedir", fmt.sh_quote(settings.includedir) },
  }
  w:comment("Written by configure.")
  for _, row in ipairs(rows) do w:variable(row[1], row[2]) end
  return w:text()
end

-- The depfile of build.ninja: everything whose change may change what configure writes.
function files.depfile()
  local inputs = fs.inputs()
  for _, folder in ipairs(FOLDERS) do inputs[#inputs + 1] = folder end
  return ninja.depfile("build.ninja", inputs)
end

local function names_of(list)
  local names = {}
  for i, model in ipairs(list) do names[i] = model.spec.name end
  return text.join(names)
end

-- The steps of `ninja check`: lines of a name, a tab and a command; an empty command says why the step is off.
function files.check_list(settings, answers, collected, binaries)
  local lua, second, lines = settings.variables.LUA, answers.second_lua, {}
  local function step(name, command) lines[#lines + 1] = name .. "\t" .. command end
  step("generator under " .. lua, lua .. " tests/generator/run.lua")
  if second then step("generator under " .. second, second .. " tests/generator/run.lua") end
  local specs = {}
  for _, model in ipairs(collected.products) do specs[#specs + 1] = fmt.sh_quote(model.path) end
  step("same bytes from every run" .. (second and " and both Luas" or ""),
    ("%s tests/same_bytes.lua %s %s"):format(lua, table.concat({ lua, second }, ","), table.concat(specs, " ")))
  step("golden files", lua .. " tests/golden.lua compare")
  for _, path in ipairs(binaries) do
    local name = path:match("[^/]*$")
    step(name == "configured" and "kernels of " .. names_of(collected.configured) or name, path)
  end
  if not answers.criterion then step("C tests (no Criterion; Debian: libcriterion-dev)", "") end
  return table.concat(lines, "\n") .. "\n"
end

-- The steps of `ninja check-sanitize`. Leaks are left out: Criterion has its own.
function files.sanitize_list(binaries)
  local lines = {}
  for i, path in ipairs(binaries) do
    lines[i] = ("%s, sanitized\tASAN_OPTIONS=detect_leaks=0 %s"):format(path:match("[^/]*$"), path)
  end
  if #lines == 0 then lines[1] = "C tests (no Criterion; Debian: libcriterion-dev)\t" end
  return table.concat(lines, "\n") .. "\n"
end

return files
