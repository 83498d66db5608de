-- ops/init.lua: the blocks of whole models, in the order their fields are read and printed. Knows none of them by
-- more than its file's name. A block is a table with:
--   name                       its own name, for messages
--   fields                     spec fields it owns, all of stacks only; a dot means a field of a table field
--   resolve(spec, fail)        fills defaults and reports contradictions through fail(message)
--   sentence(spec)             what `info` says of it, nil for nothing
-- what it adds to the weights of a model:
--   weights                    names of its roles, of a layer's without the layer: what a spec's `weights` may name
--   first_roles(spec, add)     before the layers: add(role name, shape)
--   sublayer_roles(spec, add, name)   after those of each sublayer of a layer
--   last_roles(spec, add)      after the layers
-- what it adds to the plan:
--   sublayers(spec)            a list of what a layer does, see below
--   products(spec, add)        products of rows with weights: add({ op, what, n_in, n_out, from, to, of_layers });
--                              from, to: the buffers whose rows they read and write, where these lie apart; of_layers:
--                              false where it is beside the layers
--   packed_vocabulary(spec, add, add_linear)   parts of the packed weights that are as long as a vocabulary:
--                              add(name, floats) or add_linear(name of a product)
--   packed(spec, add)          other parts beside the layers: add(name, floats)
--   sublayer_packed(spec, add, name)   parts after those of each sublayer
--   buffers(spec, add)         scratch: add({ name, width, unit, during, apart, stride }); width: floats of a row;
--                              unit: "rows", "memory_rows" or "block"; during: "layer", "blocks" (from the first step
--                              that goes block by block) or the name of a sublayer; apart: whether rows keep out of
--                              each other's cache sets; stride: what the C calls its width, of those of blocks
--   outputs(spec, add)         what a call may ask for beside all rows: add(name in struct ga_io, "first", "last" or
--                              "all"): which rows of a sequence it needs
-- and what it adds to the C:
--   words(spec)                names that templates may use
--   on(spec)                   false or nil where its fragments are not spliced; without it they always are
--   uses                       names of blocks whose fragments declare what its own use
-- Everything but the name is optional. Its fragments are in templates/ops/<name>.c.lt, one for each stage at which it
-- adds to the C; stages.lua is the list of stages. A stage whose text is empty for a spec adds nothing.
--
-- A sublayer is a table: name; does: its work on a block of rows, in words; call, says: the C function that all threads
-- run before it over all rows, and what that does, both nil where there is none; width: columns of its products, in C;
-- input, input_width: the buffer it reads where that is not the rows themselves, and the floats of a row there, in C;
-- part: the spec and the plan of a part that it has, as spec[part .. "_spec"], whose roles stand after prefix; first:
-- the packed part that it reads first; linears: a list of { packed, product, bias, parts }, the parts of the weights
-- whose columns lie side by side: { role, n_out, n_in }, both { number, name = in C }; block: the block that it is of,
-- whose file has its stages, `block` and `part_pack`.
--
-- What several blocks need is a block without fields, which they ask for in resolve:
--   spec.adds_rows             sums of rows
--   spec.packs_tables          matrices packed as they are
--   spec.own_token_table       the embedding is such a matrix; false where another block keeps it
local blocks = {}

for _, name in ipairs({ "layers", "tables", "tokens", "positions", "sublayer", "norm", "added_rows", "attention",
  "feed_forward", "pooling", "logits" }) do
  blocks[#blocks + 1] = require("ops." .. name)
end

-- What a layer of a spec does, in order.
function blocks.sublayers(spec)
  local list = {}
  for _, block in ipairs(blocks) do
    for _, sublayer in ipairs(block.sublayers and block.sublayers(spec) or {}) do
      sublayer.block = block
      list[#list + 1] = sublayer
    end
  end
  return list
end

-- Calls the hook of that name of every block that has it, with the spec and what follows.
function blocks.each(hook, ...)
  for _, block in ipairs(blocks) do
    if block[hook] then block[hook](...) end
  end
end

return blocks
