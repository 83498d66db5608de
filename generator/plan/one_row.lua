-- plan/one_row.lua: how a stack goes on with one row of each sequence after the last layer has attended, where a call
-- wants no other. Knows no output by name; holds no C text.
local blocks = require "ops"

-- Names in struct ga_io by the rows of a sequence that they need: "first", "last" or "all".
local function wanted(s)
  local list = { first = {}, last = {}, all = { "output" } }
  blocks.each("outputs", s, function(name, rows) table.insert(list[rows], name) end)
  return list
end

-- can_prune: whether there is any output that one row is enough for; all: those that need every row; conflicts: pairs
-- of outputs that need two; first: those that keep the first row, keeps_last: whether the last is kept, "unless" a
-- call wants one of `first`.
return function(s)
  local outputs, conflicts = wanted(s), {}
  for _, first in ipairs(outputs.first) do
    for _, last in ipairs(outputs.last) do conflicts[#conflicts + 1] = { first, last } end
  end
  return {
    can_prune = #outputs.first + #outputs.last > 0, all = outputs.all, conflicts = conflicts, first = outputs.first,
    keeps_last = #outputs.first == 0 and "always" or #outputs.last == 0 and "never" or "unless",
  }
end
