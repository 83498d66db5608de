-- configure.lua: the second half of ./configure: options and probes in, out/config.ninja, out/kernels.ninja and the
-- lists of test steps out. Writes only into out/; generates no C but the tests' tables of models.
local root = arg[0]:match("^(.*)generator/configure%.lua$")
package.path = root .. "generator/?.lua;" .. root .. "generator/?/init.lua;" .. package.path

local ask = require "configure.ask"
local compat = require "base.compat"
local files = require "configure.files"
local fs = require "base.fs"
local graph = require "configure.graph"
local isa = require "isa"
local models = require "configure.models"
local options = require "configure.options"
local probes = require "configure.probes"
local spec = require "spec"
local summary = require "configure.summary"

local OK, CANNOT, USAGE, BUG = 0, 1, 2, 70

local function complain(code, messages)
  for _, message in ipairs(messages) do io.stderr:write("./configure: ", message, "\n") end
  return code
end

local function say(line)
  io.stdout:write(line, "\n")
end

-- The number that libraries and their users must agree on.
local function abi()
  local header = assert(fs.read("runtime/model.h"))
  return assert(tonumber(header:match("GA_ABI = (%d+)")), "runtime/model.h: no GA_ABI")
end

-- How the specs of model folders came about.
local function say_tables(collected)
  for _, model in ipairs(collected.configured) do
    for _, line in ipairs(model.table or {}) do say(line) end
    if model.table then say(("spec: %s; once edited, --spec takes it in place of the folder"):format(model.path)) end
  end
end

local function configure(settings)
  local collected, errors = models.collect(settings)
  if not collected then return complain(CANNOT, errors) end
  say_tables(collected)
  local log = assert(io.open("out/config.log", "a"))
  local answers, why = ask(probes.new(settings.variables, log, say), settings)
  log:close()
  if not answers then return complain(CANNOT, { why }) end
  local kernels, tests, library = graph.make(collected, answers.built, abi(), answers)
  local written
  written, why = fs.write_all("out", {
    { "config.ninja", files.config(settings, answers) },
    { "kernels.ninja", kernels },
    { "library.list", table.concat(library, "\n") .. "\n" },
    { "check.list", files.check_list(settings, answers, collected, tests) },
    { "check-sanitize.list", files.sanitize_list(tests) },
    { "check-races.list", files.races_list(tests) },
    { "check-emulated.list", files.emulated_list(answers, tests) },
    { "check-memory.list", files.memory_list(settings, answers) },
    { "configure.d", files.depfile() },
  })
  if not written then return complain(CANNOT, { why }) end
  -- ninja compares its time stamp with that of everything read here, and would run configure once more.
  compat.execute("touch build.ninja")
  io.stdout:write(summary.text(settings, collected, answers))
  return OK
end

local function main()
  local fields = spec.options()
  local settings, why = options.parse(arg, fields, isa.names(), os.getenv)
  if not settings then return complain(USAGE, { why }) end
  if settings.help then
    say(options.help(fields))
    return OK
  end
  for _, warning in ipairs(settings.warnings) do io.stderr:write("./configure: warning: ", warning, "\n") end
  return configure(settings)
end

local ok, result = xpcall(main, debug.traceback)
if not ok then
  io.stderr:write("./configure: generator bug, please report it: ", result, "\n")
  result = BUG
end
os.exit(result, true)
