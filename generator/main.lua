-- main.lua: spec in, C out. The generator's own command line; configure has another (configure.lua).
-- Emits all files of a spec or none.
local root = arg[0]:match("^(.*/)generator/[^/]*$") or arg[0]:match("^generator/") and "./" or "../"
package.path = root .. "generator/?.lua;" .. root .. "generator/?/init.lua;" .. package.path

local argparse = require "argparse"
local compat = require "base.compat"
local fs = require "base.fs"
local text = require "base.text"
local emit = require "emit"
local isa = require "isa"
local ninja = require "ninja"
local dump = require "plan.dump"
local spec = require "spec"
local template = require "template"
local tuning = require "plan.tuning"
local wisdom = require "plan.wisdom"

template.folder = root .. "templates/"

local function command_line()
  local parser = argparse("main.lua", "Generates shape-specialised C for a model spec.")
  parser:option("--spec", "the model's spec file"):argname("FILE"):count(1)
  parser:option("--isa", "instruction sets, joined by commas"):argname("LIST"):default(table.concat(isa.names(), ","))
  parser:option("--out", "folder the C goes to"):argname("DIR")
  parser:option("--depfile", "also write a depfile of everything read"):argname("FILE")
  parser:option("--stamp", "the target the depfile names"):argname("FILE")
  parser:option("--wisdom", "tuning parameters, of one machine (docs/tuning.md)"):argname("FILE")
  parser:flag("--dump-plan", "print operations, tensors, kernels, tiles, flops, bytes and scratch; write nothing")
  return parser
end

local function fail(code, ...)
  for _, message in ipairs({ ... }) do io.stderr:write("genattn: ", text.printable(message), "\n") end
  os.exit(code)
end

local function usage_error(message)
  fail(2, message, "see --help")
end

-- The instruction sets a list names, best first.
local function parse_isas(list)
  local names, seen, known = {}, {}, text.join(isa.names())
  for name in list:gmatch("[^,]+") do
    local base = isa.base_of(name)
    if base then usage_error(("--isa names %s, which is made with %s where a model gains by it"):format(name, base)) end
    if not isa.get(name) then
      usage_error(("--isa: no instruction set is called '%s'; there are %s"):format(name, known))
    end
    if seen[name] then usage_error(("--isa names %s twice"):format(name)) end
    seen[name] = true
    names[#names + 1] = name
  end
  if #names == 0 then usage_error("--isa names no instruction set; there are " .. known) end
  return isa.ordered(names)
end

local function parse_options()
  local ok, options = command_line():pparse()
  if not ok then usage_error((options:gsub("\n", "; "))) end
  if not options.out and not options.dump_plan then usage_error("--out DIR is missing") end
  return options
end

local function write_all(out, files)
  local list = {}
  for i, file in ipairs(files) do list[i] = { file.path, file.text } end
  local written, why = fs.write_all(out, list)
  if not written then fail(1, why) end
end

local function write_depfile(path, target)
  local written, why = fs.write_if_changed(path, ninja.depfile(target, fs.inputs()))
  if written == nil then fail(1, why) end
end

-- Gives the spec the values that wisdom has for it; exits if one of them fits no parameter.
local function take_wisdom(s, path, names)
  local entries, why = wisdom.read(path)
  if not entries then fail(1, why) end
  s.wisdom, why = wisdom.of_spec(entries, s)
  if s.wisdom == false then fail(1, path .. ": " .. why) end
  s.wisdom_path = path
  local problems = tuning.problems(emit.plans(s, names), path)
  if #problems > 0 then fail(1, compat.unpack(problems)) end
end

local function main()
  local options = parse_options()
  local names = parse_isas(options.isa)
  local s, errors = spec.read(options.spec)
  if not s then fail(1, compat.unpack(errors)) end
  s.path = options.spec
  if options.wisdom then take_wisdom(s, options.wisdom, names) end
  if options.dump_plan then
    for _, p in ipairs(emit.plans(s, names)) do io.write(dump(p)) end
    return
  end
  write_all(options.out, emit.files(s, names))
  if options.depfile then write_depfile(options.depfile, options.stamp or options.out) end
end

local ok, problem = xpcall(main, text.traceback)
if not ok then
  io.stderr:write("genattn: this is a bug of the generator, please report it:\n", problem, "\n")
  os.exit(70)
end
