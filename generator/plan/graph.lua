-- plan/graph.lua: a whole model as data: its operations in order, and the tensors that these read and write, as its
-- blocks declare them (ops/init.lua says what each is). Knows no operation, lays nothing out and holds no C text. It is
-- the planner's and not the spec's: only plans ask for steps and lifetimes, which plan/lifetimes.lua finds in it.
local blocks = require "ops"

local graph = {}

-- Where an operation stands, and the order of phases there; in a layer that in which operations are declared.
graph.PLACES = { "first", "layer", "last" }
local PHASES = { first = { "call", "row", "all rows" }, last = { "all rows", "output" } }

-- A graph without operations: { operations, tensors, tensor = by name }.
function graph.new()
  return { operations = {}, tensors = {}, tensor = {} }
end

local function copy_of(declared)
  local copy = {}
  for key, value in pairs(declared) do copy[key] = value end
  return copy
end

-- Appends a tensor, which is the graph's from then on.
function graph.add_tensor(g, tensor)
  if g.tensor[tensor.name] then error(("two tensors are called %s"):format(tensor.name), 0) end
  tensor.dtype = tensor.dtype or "f32"
  g.tensors[#g.tensors + 1], g.tensor[tensor.name] = tensor, tensor
end

local function tensors_called(g, names, op)
  local list = {}
  for i, name in ipairs(names) do
    list[i] = g.tensor[name] or
      error(("operation %s names a tensor %s, which nobody declares"):format(op.name, name), 0)
  end
  return list
end

-- Appends a copy of an operation, with tensors in place of their names; `place`: one of PLACES.
function graph.add(g, place, declared)
  local op = copy_of(declared)
  op.place, op.weights = place, op.weights or {}
  op.reads, op.writes = tensors_called(g, op.reads, op), tensors_called(g, op.writes, op)
  g.operations[#g.operations + 1] = op
end

-- The operations of a place, and of those the ones of a phase if one is given, in order.
function graph.at(g, place, phase)
  local list = {}
  for _, op in ipairs(g.operations) do
    if op.place == place and (not phase or op.phase == phase) then list[#list + 1] = op end
  end
  return list
end

-- Adds declared operations of a place, those of an earlier phase first.
local function add_in_order(g, place, declared)
  for _, phase in ipairs(PHASES[place]) do
    for _, op in ipairs(declared) do
      if op.phase == phase then graph.add(g, place, op) end
    end
  end
end

local function add_layer(g, spec, words)
  local function add(op) graph.add(g, "layer", op) end
  for i, sublayer in ipairs(spec.sublayers) do
    for _, op in ipairs(sublayer.operations) do add(op) end
    local following = spec.sublayers[i + 1]
    blocks.each("unjoined_operations", spec, add, sublayer, following)
    blocks.each("sublayer_operations", spec, add, sublayer, following, words)
  end
end

-- What all blocks declare through a hook.
local function declared_by(hook, spec, words)
  local list = {}
  blocks.each(hook, spec, function(op) list[#list + 1] = op end, words)
  return list
end

-- op.next of each operation of a layer that reads a part of its weights from end to end: the next that does, in the
-- next layer after the last; op.next_layer: whether it is there.
local function link(g)
  local list = {}
  for _, op in ipairs(graph.at(g, "layer")) do list[#list + 1] = op.panels and op or nil end
  for i, op in ipairs(list) do op.next, op.next_layer = list[i % #list + 1], i == #list end
end

local GIVEN = { input = true, cache = true } -- tensors that hold something when a call begins

-- Raises an error where an operation reads what nothing before it has written.
function graph.check(g)
  local written = {}
  for _, op in ipairs(g.operations) do
    for _, tensor in ipairs(op.reads) do
      if not GIVEN[tensor.is] and not written[tensor] then
        error(("operation %s reads %s, which nothing before it writes"):format(op.name, tensor.name), 0)
      end
    end
    for _, tensor in ipairs(op.writes) do written[tensor] = true end
  end
end

-- The graph of an encoder or of a decoder.
function graph.of_stack(spec)
  local g, words = graph.new(), blocks.words(spec)
  blocks.each("tensors", spec, function(tensor) graph.add_tensor(g, tensor) end)
  add_in_order(g, "first", declared_by("first_operations", spec, words))
  add_layer(g, spec, words)
  add_in_order(g, "last", declared_by("last_operations", spec, words))
  graph.check(g)
  link(g)
  return g
end

return graph
