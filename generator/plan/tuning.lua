-- plan/tuning.lua: the tuning parameters of a model's plan on one instruction set: whole numbers on which the time of a
-- call depends, and no bit of its results, of packed weights or of a cache. Measures nothing.
-- REVISION: grows when a parameter has another meaning or another name, so that older wisdom is left out.
local tuning = { REVISION = 1 }

-- No parameters yet. set: the name of the instruction set, for messages; values: those of wisdom, by name, or nil.
function tuning.new(set, values)
  return { set = set, values = values or {}, list = {}, of = {}, problems = {} }
end

local function parameter_of(all, name)
  if not all.of[name] then
    all.of[name] = { name = name, candidates = {}, uses = {} }
    all.list[#all.list + 1] = all.of[name]
  end
  return all.of[name]
end

local function add_candidates(parameter, candidates, least, most)
  local is_known = {}
  for _, value in ipairs(parameter.candidates) do is_known[value] = true end
  for _, value in ipairs(candidates) do
    if value >= least and value <= most and not is_known[value] then
      table.insert(parameter.candidates, value)
      is_known[value] = true
    end
  end
  table.sort(parameter.candidates)
end

-- The value of a parameter, and whether it is that of wisdom: otherwise it is `model`, which the cost model gives. A
-- plan of several parts asks once for each part; wisdom gives all of them the same value.
-- range: least, most; candidates: the values that the tuner tries, of which those outside the range are left out.
function tuning.value(p, name, model, range)
  local all = p.kernels.tuning
  local parameter, given = parameter_of(all, name), all.values[name]
  if given and (given < range.least or given > range.most) then
    all.problems[#all.problems + 1] = ("%s: %s is %d; expected %d to %d"):format(all.set, name, given, range.least,
      range.most)
    given = nil
  end
  add_candidates(parameter, { model }, model, model)
  add_candidates(parameter, range.candidates, range.least, range.most)
  table.insert(parameter.uses, { part = p.spec.name, value = given or model, is_wisdom = given ~= nil,
    model = model })
  return given or model, given ~= nil
end

-- Candidates around a value, by factors of two.
function tuning.doublings(value)
  return { math.floor(value / 4), math.floor(value / 2), value * 2, value * 4 }
end

-- Candidates for the rows of a tile that has at most `most`: lower tiles need fewer registers, and leave other tails.
function tuning.heights(most)
  return { most, most - 1, most - 2, math.ceil(most * 3 / 4), math.ceil(most / 2) }
end

-- How a part's parameters were chosen, one line each.
function tuning.describe(all, part)
  local lines = {}
  for _, parameter in ipairs(all.list) do
    for _, use in ipairs(parameter.uses) do
      if use.part == part then
        lines[#lines + 1] = ("%-24s %4d  %s; candidates %s"):format(parameter.name, use.value,
          use.is_wisdom and ("wisdom, the cost model's is %d"):format(use.model) or "cost model",
          table.concat(parameter.candidates, " "))
      end
    end
  end
  return lines
end

-- What is wrong with the values of the wisdom at a path, by plans that have been made with them: values outside their
-- range, and names of no parameter.
function tuning.problems(plans, path)
  local messages = {}
  for _, p in ipairs(plans) do
    local all, unknown = p.kernels.tuning, {}
    for _, message in ipairs(all.problems) do messages[#messages + 1] = path .. ": " .. message end
    for name in pairs(all.values) do unknown[#unknown + 1] = not all.of[name] and name or nil end
    table.sort(unknown)
    for _, name in ipairs(unknown) do
      messages[#messages + 1] = ("%s: %s: this model has no tuning parameter %s"):format(path, all.set, name)
    end
  end
  return messages
end

return tuning
