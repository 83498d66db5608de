-- plan/dump_graph.lua: a graph as text for people: one line for each operation and each tensor. Reads graphs only.
local NOTHING = "-"

local function names(tensors)
  local list = {}
  for i, tensor in ipairs(tensors) do list[i] = tensor.name end
  return #list > 0 and table.concat(list, ", ") or NOTHING
end

-- Where an operation stands: its step, or before or after all of them.
local function place(op)
  return op.place == "layer" and tostring(op.step) or op.place
end

local function operation_line(op)
  local does = op.fused and op.op .. ", " .. op.fused or op.op
  local weights = #op.weights > 0 and "; " .. table.concat(op.weights, ", ") or ""
  return ("  %-5s %-14s %s -> %s: %s%s"):format(place(op), op.name, names(op.reads), names(op.writes), does, weights)
end

-- The steps in which a tensor is alive, in words.
local function lifetime(tensor)
  local steps = {}
  for step, is_alive in ipairs(tensor.alive) do steps[#steps + 1] = is_alive and step or nil end
  if #steps == 1 then return "step " .. steps[1] end
  if #steps == tensor.to - tensor.from + 1 then return ("steps %d to %d"):format(tensor.from, tensor.to) end
  return "steps " .. table.concat(steps, ", ")
end

local WHOSE = { input = "given by the call", output = "written for the call", cache = "kept by the caller" }

local function tensor_line(tensor, measure)
  local size = measure(tensor)
  return ("  %-17s %s [%s], %s%s"):format(tensor.name, tensor.dtype, table.concat(tensor.shape, "]["),
    size and size .. ", " or "", WHOSE[tensor.is] or lifetime(tensor))
end

-- Prints a graph through out(format, ...). measure(tensor): what it takes of memory, in words; nil where that is the
-- call's or not known.
return function(g, out, measure)
  for _, op in ipairs(g.operations) do out("%s", operation_line(op)) end
  out("tensors")
  for _, tensor in ipairs(g.tensors) do out("%s", tensor_line(tensor, measure)) end
end
