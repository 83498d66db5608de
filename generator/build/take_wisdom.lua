-- take_wisdom.lua: what configure's --wisdom does, given or not: finds the entries for a CPU and gives them to the
-- models, and to their edges as the file out/wisdom.txt. Measures nothing.
local fs = require "base.fs"
local machine = require "build.machine"
local plan_files = require "plan.files"
local tuning = require "plan.tuning"
local wisdom = require "plan.wisdom"

local PATH, AUTO, NONE = "out/wisdom.txt", "generator/wisdom.txt", "none"

-- What the settings say of the machine that the build is for.
local function machine_of(settings)
  local here = machine.here(settings.variables.CC)
  if not settings.wisdom_cpu then return here end
  return { cpu = settings.wisdom_cpu, compiler = here.compiler, cpu_only = true }
end

local function words_of(values)
  local words = {}
  for isa, of in pairs(values) do
    for name, value in pairs(of) do words[#words + 1] = ("%s %s %d"):format(isa, name, value) end
  end
  table.sort(words)
  return table.concat(words, ", ")
end

-- The line of the summary on a model without values, or with none but the cost model's, if wisdom was asked for.
local function no_values(model, values, asked, path)
  if not asked then return nil end
  return values and ("%s: wisdom of %s: the cost model's values are the best"):format(model.spec.name, path) or
    ("%s: no wisdom in %s is for this model and CPU"):format(model.spec.name, path)
end

local function has_values(values)
  for _, of in pairs(values or {}) do
    if next(of) then return true end
  end
  return false
end

-- Gives a model its values; a line on what they are or nil, and every message where they cannot be taken.
local function give(model, entries, isas, from)
  local values, why = wisdom.of_spec(entries, model.spec)
  if values == false then return nil, { from.path .. ": " .. why } end
  if not has_values(values) then return no_values(model, values, from.asked, from.path) end
  model.spec.wisdom, model.wisdom = values, PATH
  local problems = tuning.problems(plan_files.plans(model.spec, isas), from.path)
  if #problems > 0 then return nil, problems end
  return ("%s: wisdom of %s: %s"):format(model.spec.name, from.path, words_of(values))
end

-- Where wisdom is read, and whether that was asked for; nil where none is wanted.
local function source(settings)
  if settings.wisdom == NONE then return nil end
  local named = settings.wisdom ~= "auto" and settings.wisdom
  return { path = named or AUTO, asked = settings.wisdom ~= nil or settings.wisdom_cpu ~= nil }
end

-- Gives the configured models the wisdom that the settings ask for. isas: names of those that are built. Returns lines
-- for the summary, or nil and every message.
return function(settings, configured, isas)
  local from = source(settings)
  if not from then return {} end
  local entries, why = wisdom.read(from.path)
  if not entries then return nil, { "--wisdom: " .. why } end
  entries = wisdom.of_machine(entries, machine_of(settings))
  local lines, errors = {}, {}
  for _, model in ipairs(configured) do
    local line, messages = give(model, entries, isas, from)
    lines[#lines + 1] = line
    for _, message in ipairs(messages or {}) do errors[#errors + 1] = message end
  end
  if #errors > 0 then return nil, errors end
  local written
  written, why = fs.write_all("out", { { PATH:match("[^/]*$"), wisdom.text(entries) } })
  return written and lines, { why }
end
