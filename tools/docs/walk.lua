-- walk.lua: one spec followed through the generator: its plan, the lines of a template, the C that they become; and the
-- graph of a whole model. Each is taken from the generator as it is; what is not found there any more is an error and
-- not left out.
local dump = require "plan.dump"
local emit = require "emit"
local fs = require "base.fs"
local spec = require "spec"

local walk = {}

local SPEC, MODEL, ISA = "specs/small.lua", "specs/llama_small.lua", "avx2"

local function fence(language, text)
  return ("```%s\n%s\n```"):format(language, (text:gsub("\n*$", "")))
end

-- From the line that holds `first` to the next one that holds `last`, and what stands before all of them taken away.
local function lines_between(text, label, first, last)
  local from = text:find("[^\n]*" .. first)
  local _, to = text:find(last .. "[^\n]*", from)
  assert(from and to, ("%s has no lines from %q to %q"):format(label, first, last))
  local lines = text:sub(from, to)
  local indent = lines:match("^ *")
  return (("\n" .. lines):gsub("\n" .. indent, "\n"):gsub("^\n", ""))
end

local function the_spec()
  return assert(spec.read(SPEC))
end

function walk.spec()
  return fence("lua", assert(fs.read(SPEC)))
end

function walk.plan()
  return fence("text", dump(emit.plans(the_spec(), { ISA })[1]))
end

-- The graph of a whole model, by its operations and tensors, without its kernels and the plan of its attention.
function walk.graph()
  local text = dump(emit.plans(assert(spec.read(MODEL)), { ISA })[1])
  return fence("text", assert(text:match("\n(operations, .-)\n\n"), MODEL .. " has no graph"))
end

function walk.template()
  local path = "templates/linear/step.c.lt"
  return fence("text", lines_between(assert(fs.read(path)), path, "{ //", "\n}"))
end

function walk.c()
  for _, file in ipairs(emit.files(the_spec(), { ISA })) do
    if file.path:find("_score_[%w_]+%.c$") then
      return fence("c", lines_between(file.text, file.path, "for %(size_t k", "\n                }\n            }"))
    end
  end
  error("no file of scores was made of " .. SPEC)
end

return walk
