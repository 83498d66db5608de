-- kinds.lua: which kinds of specs are stacks of layers. What that means is stack.lua's and the blocks' part.
local kinds = {}

local STACKS = { encoder = true, decoder = true, transformer = true }

-- kind: a word or anything else that a spec may say; nil: a layer.
function kinds.is_stack(kind)
  return STACKS[kind] or false
end

return kinds
