-- plan/lifetimes.lua: when each tensor of a graph is alive, by what reads and writes it, over the steps into which a
-- layer is cut by the phases of its operations. Asks no operation what it is, and gives no tensor its place.
local graph = require "plan.graph"

local lifetimes = {}

-- Cuts the operations of a layer into { whole, operations }: what all threads do together over all rows (nil for
-- nothing), then what each block of rows goes through.
local function cut(operations)
  local list = {}
  for _, op in ipairs(operations) do
    local is_whole = op.phase == "all rows"
    if is_whole or #list == 0 then list[#list + 1] = { whole = is_whole and op or nil, operations = {} } end
    if not is_whole then table.insert(list[#list].operations, op) end
  end
  return list
end

-- What the operations do to a block of rows, in words.
local function work_of(operations)
  local words = {}
  for _, op in ipairs(operations) do words[#words + 1] = op.does end
  return table.concat(words, " and ")
end

-- The layer's steps, and the same in words, numbered: op.step of each of its operations. Without layers there is one
-- step, which all operations are in.
function lifetimes.steps(g)
  local list, said = cut(graph.at(g, "layer")), {}
  for _, step in ipairs(list) do
    if step.whole then said[#said + 1], step.whole.step = step.whole.says, #said + 1 end
    if #step.operations > 0 then said[#said + 1] = work_of(step.operations) end
    for _, op in ipairs(step.operations) do op.step = #said end
    step.at, step.does = #said, work_of(step.operations)
  end
  if #list == 0 then
    said[1] = "from first to last"
    for _, op in ipairs(g.operations) do op.step = 1 end
  end
  return list, said
end

local function has(tensors, tensor)
  for _, other in ipairs(tensors) do
    if other == tensor then return true end
  end
  return false
end

-- How operations touch a tensor: touched, written, exposed by step: exposed: it is read before the step writes it.
local function accesses(operations, tensor)
  local a = { touched = {}, written = {}, exposed = {} }
  for _, op in ipairs(operations) do
    local step = op.step
    local reads, writes = has(op.reads, tensor), has(op.writes, tensor)
    if reads and not a.written[step] then a.exposed[step] = true end
    a.touched[step], a.written[step] = a.touched[step] or reads or writes, a.written[step] or writes
  end
  return a
end

-- By step: whether it finds in a tensor what it or a later step reads; of a loop a later step may be the next turn's.
local function held(a, n_steps, is_loop, is_read_after)
  local enters = {}
  for _ = 1, is_loop and 2 or 1 do
    local leaves = is_read_after or is_loop and enters[1] or false
    for step = n_steps, 1, -1 do
      leaves = a.exposed[step] or leaves and not a.written[step] or false
      enters[step] = leaves
    end
  end
  return enters
end

local function is_read_in(operations, tensor)
  for _, op in ipairs(operations) do
    if has(op.reads, tensor) then return true end
  end
  return false
end

-- Sets tensor.alive (by step), .from and .to (the first and last such step), .exposed (steps that read what steps
-- before them left) and .is_transient (nothing in it outlives the step of a layer that wrote it).
local function measure(tensor, operations, n_steps, is_loop, is_read_after)
  local a = accesses(operations, tensor)
  local enters = held(a, n_steps, is_loop, is_read_after)
  tensor.alive, tensor.exposed, tensor.is_transient = {}, a.exposed, is_loop and not is_read_after
  for step = 1, n_steps do
    tensor.alive[step] = a.touched[step] or enters[step] or false
    if tensor.alive[step] then tensor.from, tensor.to = tensor.from or step, step end
    if enters[step] then tensor.is_transient = false end
  end
  if not tensor.from then error(("no operation touches tensor %s"):format(tensor.name), 0) end
end

-- Finds when each tensor of a graph that the call does not own is alive, over n steps. is_loop: whether the steps are
-- those of each of several layers.
function lifetimes.find(g, n_steps, is_loop)
  local of_layer, last = graph.at(g, "layer"), graph.at(g, "last")
  for _, tensor in ipairs(g.tensors) do
    if tensor.is == nil or tensor.is == "private" then
      measure(tensor, is_loop and of_layer or g.operations, n_steps, is_loop, is_loop and is_read_in(last, tensor))
    end
  end
end

-- Whether there is a step in which both are alive.
function lifetimes.meet(a, b)
  for step, is_alive in ipairs(a.alive) do
    if is_alive and b.alive[step] then return true end
  end
  return false
end

return lifetimes
