-- step_edges.lua: test steps as edges of ninja: one edge and one stamp a step, so that ninja knows which steps a change
-- concerns; and the lists by which tests/tools/check.lua says what became of them. Knows no test.
local ninja = require "ninja"

local Steps = {}
Steps.__index = Steps

-- w: the ninja file; folder: where stamps and lists lie.
function Steps.new(w, folder)
  return setmetatable({ w = w, folder = folder, lines = {}, stamps = {}, order = {}, is_used = {} }, Steps)
end

local function slug(name)
  return (name:gsub("[^%w]+", "_"):gsub("^_", ""):gsub("_$", ""))
end

-- Adds a step: name, for people; command, for sh; inputs, the files that it runs and reads; and optionally pool, and
-- after: a step that writes where this one does.
function Steps:add(step)
  step.stamp = ("%s/passed/%s"):format(self.folder, slug(step.name))
  assert(not self.is_used[step.stamp], step.name .. ": two steps have this name")
  self.is_used[step.stamp] = true
  local variables = { { "step_name", ninja.word(step.name) },
    { "step_command", ninja.word(step.command) } }
  if step.pool then variables[3] = { "pool", step.pool } end
  self.w:build({ rule = "step", outputs = { step.stamp }, implicit = step.inputs,
    order_only = step.after and { step.after.stamp }, variables = variables })
  return step
end

-- A step that cannot run here; its name says why.
function Steps.off(name)
  return { name = name, stamp = "" }
end

-- Puts steps on the list of a target. when: "always" or "changed", as tests/tools/check.lua has them.
function Steps:list(target, when, steps)
  if not self.lines[target] then
    self.lines[target], self.stamps[target] = {}, {}
    self.order[#self.order + 1] = target
  end
  local lines, stamps = self.lines[target], self.stamps[target]
  for _, step in ipairs(steps) do
    lines[#lines + 1] = ("%s\t%s\t%s\n"):format(step.command and when or "off", step.stamp, step.name)
    if step.command then stamps[#stamps + 1] = step.stamp end
  end
end

-- Writes the targets' edges. Returns their lists, each { name, text }.
function Steps:lists()
  local texts = {}
  for i, target in ipairs(self.order) do
    self.w:phony(target, self.stamps[target])
    texts[i] = { target .. ".list", table.concat(self.lines[target]) }
  end
  return texts
end

return Steps
