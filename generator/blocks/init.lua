-- blocks/init.lua: the blocks of whole models, in the order their fields are read and printed. Knows none of them by
-- more than its file's name. A block is a table with:
--   name                       its own name, for messages
--   fields                     spec fields it owns, all of stacks only; a dot means a field of a table field
--   resolve(spec, fail)        fills defaults and reports contradictions through fail(message)
--   first_roles(spec, add)     weights before the layers: add(role name, shape)
--   layer_roles(spec, add)     weights of each layer behind those of its attention
--   last_roles(spec, add)      weights behind the layers
--   sentence(spec)             what `info` says of it, nil for nothing
-- Everything but the name is optional.
local blocks = {}

for _, name in ipairs({ "layers", "positions", "sublayer", "norm", "feed_forward", "pooling", "logits" }) do
  blocks[#blocks + 1] = require("blocks." .. name)
end

return blocks
