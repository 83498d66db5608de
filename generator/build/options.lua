-- options.lua: configure's command line, declared as tables, read with argparse, shown by --help in autoconf's order.
-- Knows no model field by name: those come from the spec's own list.
local argparse = require "argparse"
local compat = require "base.compat"
local isa = require "isa"
local ninja = require "ninja"
local text = require "base.text"
local usage = require "build.usage"

local options = {}

-- A row: flags, the value's name (nil for a switch), help, default as shown in brackets; `key` names the setting;
-- count: how often it may be given; last_wins: of several the last holds, as packagers' wrappers rely on.
local CONFIGURATION = {
  { flags = "-h --help", key = "help", help = "print this text and do nothing else" },
  { flags = "-V --version", key = "version", help = "print the version and do nothing else" },
  { flags = "-q --quiet", key = "quiet", default = "no",
    help = "print only warnings and errors: no probe, no table of a model folder, no summary" },
  { flags = "--runner", value = "COMMAND", key = "runner", default = "none",
    help = "what runs the programs of a compiler for another machine, such as 'qemu-aarch64': probes and tests run " ..
    "by it (docs/build.md)" },
  { flags = "--install-deps", key = "install_deps", default = "no",
    help = "first install what is missing with apt-get (needs root, else prints the command)" },
  { flags = "--verbose", key = "verbose", default = "no",
    help = "also report which tools for work on genattn itself are installed, and what does not run without them; " ..
    "out/config.log always has this" },
}
local DIRECTORIES = {
  { flags = "--prefix", value = "DIR", key = "prefix", last_wins = true, default = "/usr/local",
    help = "'ninja install' goes here" },
  { flags = "--bindir", value = "DIR", key = "bindir", last_wins = true, default = "PREFIX/bin", help = "programs" },
  { flags = "--libdir", value = "DIR", key = "libdir", last_wins = true, default = "PREFIX/lib", help = "libraries" },
  { flags = "--includedir", value = "DIR", key = "includedir", last_wins = true, default = "PREFIX/include",
    help = "headers" },
  { flags = "--mandir", value = "DIR", key = "mandir", last_wins = true, default = "PREFIX/share/man",
    help = "manual pages of programs" },
  { flags = "--datadir", value = "DIR", key = "datadir", last_wins = true, default = "PREFIX/share",
    help = "their completion for bash, zsh and fish" },
}
local MODEL_FILES = {
  { flags = "--spec", value = "FILE", key = "specs", count = "*",
    help = "a model spec, instead of the flags below; repeat it for several models in one build" },
  { flags = "--from-hf", value = "DIR", key = "from_hf", count = "*",
    help = "a model folder of Hugging Face's transformers (config.json, model.safetensors) or of " ..
    "sentence-transformers: writes its spec to out/specs and says how it read each field; flags below change it" },
  { flags = "--from-gguf", value = "FILE", key = "from_gguf", count = "*",
    help = "a GGUF file of llama.cpp (docs/models.md lists the architectures), as --from-hf takes a folder" },
  { flags = "--hf-architecture", value = "NAME", key = "hf_architecture", default = "as config.json says",
    help = "the architecture that the model is read as, such as BertModel: the stack without a head" },
  { flags = "--hf-ignore", value = "NAME", key = "hf_ignore", count = "*",
    help = "ignore a field of config.json, a key of a GGUF file or a tensor that changes nothing, if --from-hf or " ..
    "--from-gguf does not know it" },
}
local FEATURES = {
  { flags = "--isa", value = "LIST", key = "isa", default = "all the compiler makes",
    help = "instruction sets to build, separated by commas; at load the best one that the CPU has is chosen" },
  { flags = "--wisdom", value = "FILE", key = "wisdom", default = "auto",
    help = "tuning parameters that 'ninja tune' measured; auto: those of CPUs that genattn has measured, " ..
    "generator/wisdom.txt; none: code that does not depend on this CPU (docs/tuning.md)" },
  { flags = "--wisdom-cpu", value = "NAME", key = "wisdom_cpu", default = "this CPU",
    help = "take the wisdom of another CPU, such as 'AuthenticAMD 25 17': its vendor, family and model" },
  { flags = "--python", key = "python", default = "no",
    help = "also make a Python wheel of each model: out/python/NAME-VERSION-py3-none-PLATFORM.whl (docs/python.md)" },
  { flags = "--lua", key = "lua", default = "no",
    help = "also make a module of each model for LuaJIT, and for Lua 5.4 if its headers exist: out/lua/NAME.lua " ..
    "(docs/bindings.md)" },
  { flags = "--with-mpi", key = "mpi", default = "no",
    help = "programs divide embed and generate over the processes of mpirun, by MPICH or Open MPI (docs/cluster.md)" },
  { flags = "--with-hwloc", key = "hwloc", default = "no",
    help = "processes of mpirun run on NUMA nodes of their own, which 'info' shows, by hwloc (docs/cluster.md)" },
  { flags = "--enable-debug", key = "debug", default = "no", help = "no optimisation, full debug information" },
  { flags = "--enable-sanitize", key = "sanitize", default = "no",
    help = "build everything with address and undefined-behaviour sanitizers" },
  { flags = "--enable-werror", key = "werror", default = "no",
    help = "stop the build at compiler warnings, as CI does" },
}

-- Variables taken from VAR=VALUE, then from the environment, and remembered for re-runs.
options.VARIABLES = {
  { name = "CC", help = "C compiler (C11; gcc and clang are tested)" },
  { name = "CPPFLAGS", help = "preprocessor flags, such as -I DIR" },
  { name = "CFLAGS", help = "compiler flags; they come after the flags of the build" },
  { name = "LDFLAGS", help = "linker flags, such as -L DIR" },
  { name = "AR", help = "archiver [ar]" },
  { name = "LUA", help = "Lua 5.4 or LuaJIT that runs the generator" },
  { name = "MPICC", help = "of --with-mpi: the compiler command of an MPI, such as mpicc.openmpi [pkg-config]" },
}

-- -- The parser -----------------------------------------------------------------------------------------------------

-- Rows for the flags that the spec's fields declare.
local function model_rows(fields)
  local rows = {}
  for i, field in ipairs(fields) do
    rows[i] = { flags = field.flag .. (field.alias and " " .. field.alias or ""), value = field.value,
      key = "field_" .. i, default = field.default, help = field.help }
  end
  return rows
end

local function add_row(parser, row)
  local add = row.value and parser.option or parser.flag
  local shown = row.help .. (row.default and " [" .. row.default .. "]" or "")
  local element = add(parser, row.flags):target(row.key):description(shown)
  if row.value then element:argname(row.value):count(row.count or "0-1"):overwrite(row.last_wins or false) end
  return element
end

local function add_group(parser, title, ...)
  local elements = {}
  for _, rows in ipairs({ ... }) do
    for _, row in ipairs(rows) do elements[#elements + 1] = add_row(parser, row) end
  end
  parser:group(title, compat.unpack(elements))
end

local function variables_help()
  local lines = { "Some influential environment variables (or give VAR=VALUE as an argument):" }
  for _, variable in ipairs(options.VARIABLES) do
    lines[#lines + 1] = ("   %-21s %s"):format(variable.name, variable.help)
  end
  return table.concat(lines, "\n")
end

local EXAMPLES = [[

Examples:
   ./configure --d-model 512 --heads 8                      one layer of attention
   ./configure --spec specs/bert_base.lua --isa avx2        a whole model by its spec, for one instruction set
   ./configure --from-hf all-MiniLM-L6-v2 --dtype int8      a folder of Hugging Face, in products of 8 bits
   ./configure --from-gguf model.gguf --prefix "$HOME/.local"
   ./configure --quiet --from-hf all-MiniLM-L6-v2 --python && ninja]]

local function make_parser(fields)
  local parser = argparse("./configure"):add_help(false):help_max_width(110):help_description_margin(29)
  parser:usage("Usage: ./configure [OPTION]... [VAR=VALUE]...")
  parser:description("Prepares the build of attention layers made for one shape each; then run ninja.")
  add_group(parser, "Configuration", CONFIGURATION)
  add_group(parser, "Installation directories", DIRECTORIES)
  add_group(parser, "Model", MODEL_FILES, model_rows(fields))
  add_group(parser, "Optional features", FEATURES)
  parser:argument("assignments"):args("*"):hidden(true)
  parser:epilog(variables_help() .. "\n" .. EXAMPLES)
  return parser
end

-- Every row there is, in the order of --help.
local function all_rows(fields)
  local all = {}
  for _, rows in ipairs({ CONFIGURATION, DIRECTORIES, MODEL_FILES, model_rows(fields), FEATURES }) do
    for _, row in ipairs(rows) do all[#all + 1] = row end
  end
  return all
end

-- -- Reading --------------------------------------------------------------------------------------------------------

-- Options that packagers pass to every configure script; unknown ones of these forms are no reason to stop.
local TOLERATED = { "^%-%-%a+dir=", "^%-%-enable%-", "^%-%-disable%-", "^%-%-with%-", "^%-%-without%-", "^%-%-build=",
  "^%-%-host=" }

local function is_tolerated(arg, known)
  local flag = arg:match("^[^=]+")
  for _, other in ipairs(known) do
    if flag == other then return false end
  end
  for _, pattern in ipairs(TOLERATED) do
    if arg:find(pattern) then return true end
  end
  return false
end

-- VAR=VALUE arguments as a table, or nil and a message.
local function read_assignments(words)
  local known, values = {}, {}
  for i, variable in ipairs(options.VARIABLES) do known[i] = variable.name end
  for _, word in ipairs(words) do
    local name, value = word:match("^([%a_][%w_]*)=(.*)$")
    local near = text.nearest(name or word, known)
    if not name then
      return nil, ("unexpected argument '%s'; %s"):format(word,
        near == word and ("a variable is given as %s=VALUE"):format(word) or "see --help")
    end
    if near ~= name then
      return nil, ("unknown variable '%s'%s"):format(name, near and ("; did you mean %s?"):format(near) or "")
    end
    values[name] = value
  end
  return values
end

-- A flag's word as the field's value, or nil and a message.
local function read_value(field, word)
  if not field.value then return true end
  local value, why = field.parse(word)
  if value == nil then return nil, why end
  local ok
  ok, why = field.check(value)
  if ok == nil then return nil, why end
  return value
end

-- The flags given, in the spec's own terms: an ordered array of { field, value }, or nil and every message.
local function read_fields(parsed, fields)
  local given, errors = {}, {}
  for i, field in ipairs(fields) do
    local word = parsed["field_" .. i]
    if word then
      local value, why = read_value(field, word)
      if value == nil then errors[#errors + 1] = ("%s %s"):format(field.flag, why) end
      given[#given + 1] = { field = field, value = value }
    end
  end
  if #errors > 0 then return nil, errors end
  return given
end

-- The set of ISA names in a list, nil for no list, or false and a message.
local function read_isas(list, known)
  if not list then return nil end
  local names = {}
  for name in list:gmatch("[^,]+") do
    local near, base = text.nearest(name, known), isa.base_of(name)
    if base then
      return false, ("--isa names %s, which is made with %s where a model gains by it"):format(name, base)
    end
    if near ~= name then
      return false, ("--isa: there is no '%s'%s (there are %s)"):format(name,
        near and ("; did you mean %s?"):format(near) or "", text.join(known))
    end
    if names[name] then return false, ("--isa names %s twice"):format(name) end
    names[name] = true
  end
  if not next(names) then return false, "--isa names no instruction set; there are " .. text.join(known) end
  return names
end

local function environment(assigned, getenv)
  local values = {}
  for _, variable in ipairs(options.VARIABLES) do
    values[variable.name] = assigned[variable.name] or getenv(variable.name) or ""
  end
  if values.AR == "" then values.AR = "ar" end
  return values
end

-- Fields may declare what their bare flag means (--causal); gives it that value where the next argument is none.
local function with_implied(args, fields)
  local implied, full = {}, {}
  for _, field in ipairs(fields) do
    if field.implied then implied[field.flag] = field.implied end
  end
  for i, arg in ipairs(args) do
    local following = args[i + 1]
    local is_bare = implied[arg] and (not following or following:find("^%-") or following:find("=", 1, true))
    full[i] = is_bare and arg .. "=" .. implied[arg] or arg
  end
  return full
end

-- Joins a number below zero to the option before it: to argparse whatever begins with a minus is an option.
local function with_numbers(args)
  local joined = {}
  for _, arg in ipairs(args) do
    local option = joined[#joined]
    if option and option:find("^%-%-[%w-]+$") and (arg:find("^%-%.?%d") or arg == "-inf") then
      joined[#joined] = option .. "=" .. arg
    else
      joined[#joined + 1] = arg
    end
  end
  return joined
end

-- Splits the arguments into those argparse shall see and those to warn of.
local function set_aside(args, known)
  local kept, warnings = {}, {}
  for _, arg in ipairs(args) do
    if is_tolerated(arg, known) then
      local near = text.nearest(arg:match("^[^=]+"), known)
      local is_opposite = near and near:gsub("^%-%-enable%-", "--disable-") == arg
      warnings[#warnings + 1] = ("'%s' is ignored: %s"):format(arg,
        is_opposite and ("that is so without %s"):format(near) or
        near and ("there is no such option; did you mean %s?"):format(near) or "there is no such option")
    else
      kept[#kept + 1] = arg
    end
  end
  return kept, warnings
end

-- What to give configure when ninja runs it again: the arguments, and the variables wherever they came from.
local function remembered(args, assignments, variables)
  local again, left_out = {}, { ["--install-deps"] = true, ["--verbose"] = true }
  for _, word in ipairs(assignments) do left_out[word] = true end
  for _, arg in ipairs(args) do
    if not left_out[arg] then again[#again + 1] = arg end
  end
  for _, variable in ipairs(options.VARIABLES) do
    local value = variables[variable.name]
    if value ~= "" then again[#again + 1] = variable.name .. "=" .. value end
  end
  return again
end

-- What of the arguments goes without what, or nil.
local function contradiction(parsed, given)
  if #given > 0 and #parsed.specs > 0 then
    return ("%s cannot be combined with --spec; say it in %s"):format(given[1].field.flag, parsed.specs[1])
  elseif #parsed.from_hf == 0 and parsed.hf_architecture then
    return "--hf-architecture needs --from-hf, which is not given"
  elseif #parsed.from_hf + #parsed.from_gguf == 0 and #parsed.hf_ignore > 0 then
    return "--hf-ignore needs --from-hf or --from-gguf, and neither is given"
  elseif parsed.wisdom_cpu and parsed.wisdom == "none" then
    return "--wisdom-cpu and --wisdom none are both given; expected one of them"
  elseif parsed.quiet and parsed.verbose then
    return "--quiet and --verbose are both given; expected one of them"
  end
end

-- Which argument no file of the build can hold, and no message should, or nil.
local function control_character(args)
  for _, arg in ipairs(args) do
    if arg:find("%c") then return ("argument '%s' holds a control character"):format((arg:gsub("%c", "?"))) end
  end
end

-- What else no file of the build can hold, or nil: control characters, and in paths that ninja shall look at more.
local function unwritable(variables, paths)
  for _, variable in ipairs(options.VARIABLES) do
    if variables[variable.name]:find("%c") then return variable.name .. " holds a control character" end
  end
  for _, path in ipairs(paths) do
    local byte = ninja.unspeakable(path)
    if byte then return ("%s: ninja cannot look at a path with a %s in it; give it another name"):format(path, byte) end
  end
end

local function joined(a, b)
  local list = {}
  for _, items in ipairs({ a, b }) do
    for _, item in ipairs(items) do list[#list + 1] = item end
  end
  return list
end

-- The parsed arguments and what they say of the model; or nil and every message.
local function read(args, fields)
  local rows = all_rows(fields)
  local ok, parsed = make_parser(fields):pparse(with_implied(with_numbers(args), fields))
  if not ok then return nil, { usage.in_our_words(parsed, rows, args) } end
  local why = usage.unfit_value(parsed, rows)
  if why then return nil, { why } end
  local given, errors = read_fields(parsed, fields)
  if not given then return nil, errors end
  why = contradiction(parsed, given)
  if why then return nil, { why } end
  return parsed, given
end

-- Reads the arguments. fields: spec.options(); isa_names: those --isa may name; getenv: os.getenv or a stand-in.
-- Returns the settings, or nil and every message. Settings: specs, folders and gguf_files (arrays of paths),
-- hf_architecture (or nil), hf_ignore (array), fields (array of { field, value }), isas (set of names or nil), prefix,
-- bindir, libdir, includedir, mandir, datadir, verbose, quiet, runner, python, mpi, hwloc, lua, debug, sanitize,
-- werror, wisdom, wisdom_cpu (each nil if not given), variables, arguments (for the next run), warnings.
function options.parse(args, fields, isa_names, getenv)
  local why = control_character(args)
  if why then return nil, { why } end
  local kept, warnings = set_aside(args, usage.flags(all_rows(fields)))
  local parsed, given = read(kept, fields)
  if not parsed then return nil, given end
  local assigned
  assigned, why = read_assignments(parsed.assignments)
  if not assigned then return nil, { why } end
  local isas
  isas, why = read_isas(parsed.isa, isa_names)
  if isas == false then return nil, { why } end
  local prefix = parsed.prefix or "/usr/local"
  local variables = environment(assigned, getenv)
  why = unwritable(variables, joined(joined(parsed.specs, parsed.from_hf), parsed.from_gguf))
  if why then return nil, { why } end
  return {
    help = parsed.help, specs = parsed.specs, fields = given, isas = isas, folders = parsed.from_hf,
    gguf_files = parsed.from_gguf, hf_architecture = parsed.hf_architecture, hf_ignore = parsed.hf_ignore,
    prefix = prefix, bindir = parsed.bindir or prefix .. "/bin", libdir = parsed.libdir or prefix .. "/lib",
    includedir = parsed.includedir or prefix .. "/include", mandir = parsed.mandir or prefix .. "/share/man",
    datadir = parsed.datadir or prefix .. "/share", verbose = parsed.verbose, quiet = parsed.quiet,
    runner = parsed.runner, python = parsed.python, mpi = parsed.mpi, hwloc = parsed.hwloc, lua = parsed.lua,
    debug = parsed.debug, sanitize = parsed.sanitize, werror = parsed.werror, wisdom = parsed.wisdom,
    wisdom_cpu = parsed.wisdom_cpu,
    variables = variables, arguments = remembered(kept, parsed.assignments, variables), warnings = warnings,
  }
end

-- The text of --help.
function options.help(fields)
  return make_parser(fields):get_help()
end

return options
