-- configure.lua: the second half of ./configure: options and probes in, out/config.ninja and out/kernels.ninja out, and
-- in out/tested.lua what test_graph.lua makes the tests' graph from once tests are asked for. Writes only into out/,
-- where it also removes what the configuration before it left to users; generates no C.
local root = arg[0]:match("^(.*)generator/configure%.lua$")
package.path = root .. "generator/?.lua;" .. root .. "generator/?/init.lua;" .. package.path

local ask = require "build.ask"
local compat = require "base.compat"
local files = require "build.files"
local fs = require "base.fs"
local graph = require "build.graph"
local install = require "build.install"
local isa = require "isa"
local models = require "build.models"
local options = require "build.options"
local probes = require "build.probes"
local products = require "build.products"
local release = require "build.release"
local saved = require "build.saved"
local spec = require "spec"
local summary = require "build.summary"
local take_wisdom = require "build.take_wisdom"
local text = require "base.text"

local OK, CANNOT, USAGE, BUG = 0, 1, 2, 70

-- Folders that are listed, so that a new file in one of them runs configure again.
local FOLDERS = { "generator/isa", "program/commands", "program/heatmap", "program/io", "program/report",
  "program/rounding", "runtime/base", "runtime/cache", "runtime/call", "runtime/include/genattn", "runtime/model",
  "runtime/packed", "runtime/packing", "runtime/threads", "runtime/weights", "text", "text/base", "text/chat",
  "text/decoders", "text/gguf", "text/models", "text/normalizers", "text/pretokenizers" }

-- As the user called it.
local NAME = os.getenv("GA_CONFIGURE") or "./configure"

local function complain(code, messages)
  for _, message in ipairs(messages) do io.stderr:write(NAME, ": ", text.printable(message), "\n") end
  return code
end

local function print_line(line)
  io.stdout:write(line, "\n")
end

local function print_nothing() end

-- What prints a line that is no error, unless --quiet is given.
local function printer(settings)
  return settings.quiet and print_nothing or print_line
end

-- How the specs of model folders came about.
local function print_tables(collected, say)
  for _, model in ipairs(collected.configured) do
    for _, line in ipairs(model.table or {}) do say(text.printable(line)) end
    if model.table then
      say(("spec: %s; once edited, --spec takes it in place of the %s"):format(model.path, model.from))
    end
  end
end

-- Whether the compiler takes a flag, which it is asked once.
local function asks_once(prober)
  local known = {}
  return function(flag)
    if known[flag] == nil then known[flag] = prober:takes_flags({ flag }) end
    return known[flag]
  end
end

-- Asks all there is to ask; the answers, or nil and every message.
local function probe(settings, collected)
  local log = assert(io.open("out/config.log", "a"))
  local quiet = settings.verbose and print_line or print_nothing
  local prober = probes.new(settings.variables, log, printer(settings), settings.runner)
  local answers, why = ask(prober, probes.new(settings.variables, log, quiet, settings.runner), settings)
  local errors = answers and models.refused(collected, answers.built, asks_once(prober)) or { why }
  for _, line in ipairs(answers and summary.maintainers(answers) or {}) do log:write("# off: ", line, "\n") end
  log:close()
  return #errors == 0 and answers, errors
end

-- What the tests' graph is made from: settings and answers, how many models are configured, and the paths of their
-- specs, before that of the demo's.
local function for_tests(settings, collected, answers)
  local paths = {}
  for i, model in ipairs(collected.products) do paths[i] = model.path end
  return saved.text({ settings = { variables = settings.variables, debug = settings.debug,
    sanitize = settings.sanitize, werror = settings.werror }, answers = answers, configured = #collected.configured,
    products = paths, abi = release().abi })
end

-- Writes what `ninja install` puts somewhere. Returns the paths, or nil and a message.
local function write_installation(settings, answers, installed)
  local texts = install.texts(installed.names, settings, answers, release())
  local paths = {}
  for i, text_of in ipairs(texts) do paths[i] = "out/install/" .. text_of[1] end
  texts[#texts + 1] = { install.LIST:match("[^/]*$"), install.list(installed, settings, answers) }
  local written, why = fs.write_all("out/install", texts)
  return written and paths, why
end

-- Writes all that ninja reads; whether that could be done, and a message where not.
local function write(settings, collected, answers)
  local kernels, given, installed = graph.make(collected, answers, release().abi)
  local before = products.before()
  local paths, why = write_installation(settings, answers, installed)
  if not paths then return nil, why end
  for _, path in ipairs(paths) do given[#given + 1] = path end
  local written
  written, why = fs.write_all("out", {
    { "config.ninja", files.config(settings, answers) },
    { "kernels.ninja", kernels },
    { "known_isas.c", files.known_isas(answers) },
    { saved.PATH:match("[^/]*$"), for_tests(settings, collected, answers) },
    { "configure.d", files.depfile("build.ninja", FOLDERS) },
    products.list(given),
  })
  if not written then return nil, why end
  local removed = products.remove_stale(before, given)
  if removed then printer(settings)(removed) end
  return true
end

local function configure(settings)
  local collected, errors = models.collect(settings)
  if not collected then return complain(CANNOT, errors) end
  print_tables(collected, printer(settings))
  local answers
  answers, errors = probe(settings, collected)
  if not answers then return complain(CANNOT, errors) end
  collected.wisdom, errors = take_wisdom(settings, collected.configured, answers.built)
  if not collected.wisdom then return complain(CANNOT, errors) end
  local written, why = write(settings, collected, answers)
  if not written then return complain(CANNOT, { why }) end
  -- ninja compares its time stamp with that of everything read here, and would run configure once more.
  compat.execute("touch build.ninja")
  printer(settings)((summary.text(settings, collected, answers):gsub("\n$", "")))
  return OK
end

local function main()
  local fields = spec.options()
  local settings, errors = options.parse(arg, fields, isa.names(), os.getenv)
  if not settings then return complain(USAGE, errors) end
  if settings.help then
    print_line(options.help(fields))
    return OK
  end
  if os.getenv("GA_ONLY_OPTIONS") == "yes" then return OK end
  for _, warning in ipairs(settings.warnings) do
    io.stderr:write(NAME, ": warning: ", text.printable(warning), "\n")
  end
  return configure(settings)
end

local ok, result = xpcall(main, text.traceback)
if not ok then
  io.stderr:write(NAME, ": generator bug, please report it: ", result, "\n")
  result = BUG
end
os.exit(result, true)
