-- ops/init.lua: the blocks of whole models, in the order their fields are read and printed. Knows none of them by
-- more than its file's name. A block is a table with:
--   name                       its own name, for messages
--   fields                     spec fields it owns, all of stacks only; a dot means a field of a table field
--   resolve(spec, fail)        fills defaults and reports contradictions through fail(message)
--   first_kind                 the kind that its fields are for, where that is not an encoder: messages name it
--   of_decoder                 true where of a transformer only the decoder takes its fields
--   memory_fields(spec, raw)   what of the attention to an encoder's output it says: sets fields of raw
--   sentence(spec)             what `info` says of it, nil for nothing
-- what it adds to the weights of a model:
--   weights                    names of its roles, of a layer's without the layer: what a spec's `weights` may name
--   looked_up                  of these, those that no file holds transposed: rows are looked up in them
--   beside                     of these, those outside the model that weights_prefix names
--   first_roles(spec, add)     before the layers: add(role name, shape)
--   sublayer_roles(spec, add, name)   after those of each sublayer of a layer
--   layer_roles(spec, add, layer)     at the end of a layer, counted from 0
--   last_roles(spec, add)      after the layers
-- what it adds to the plan:
--   sublayers(spec, words)     a list of what a layer does, see below
--   products(spec, add)        products of rows with weights after the layers (those of layers are ops/linear.lua's):
--                              add({ op, what, n_in, n_out, role, rows }); role: the linear whose dtype it has, nil: it
--                              multiplies f32 whatever `dtype` says; rows: those that it multiplies at most, "rows" of
--                              all sequences or "batch"
--   packed_vocabulary(spec, add, add_linear)   parts of the packed weights that are as long as a vocabulary:
--                              add(name, count, fills, type), or add_linear(name of a product, { weight, bias }),
--                              names of roles; fills: see below; type: of elements, f32 where nil
--   packed(spec, add, add_linear)   other parts outside the layers, likewise
--   sublayer_packed(spec, add, name)   parts after those of each sublayer
--   tensors(spec, add)         what its operations read and write, see below
--   first_operations(spec, add, words)   before the layers: add(operation), see below; words: those of all blocks
--   result_operations(spec, add, sublayer, words)   after those of each sublayer of a layer, before its result joins
--                              the residual; they are the sublayer's then, with their linears
--   unjoined_operations(spec, add, sublayer, following)   after that, of the rows that the result joins; following:
--                              the next sublayer, nil after the last
--   sublayer_operations(spec, add, sublayer, following, words)   after that
--   last_operations(spec, add, words)    after the layers
--   outputs(spec, add)         what a call may ask for besides all rows: add(name in struct ga_io, "first", "last" or
--                              "all"): which rows of a sequence it needs
-- and what it adds to the C:
--   properties(spec)           its fields of `struct ga_stack`, as emit/initializer.lua takes them
--   words(spec)                names that templates may use
--   on(spec)                   false or nil where its fragments are not spliced; without it they always are
--   uses                       names of blocks whose fragments declare what its own use
-- Everything but the name is optional. Its fragments are in templates/ops/<name>.c.lt, one for each stage at which it
-- adds to the C; stages.lua is the list of stages. A stage whose text is empty for a spec adds nothing.
--
-- A sublayer is a table: name; operations: what it consists of, in order; part: the spec and the plan of a part that it
-- has, as spec[part .. "_spec"], whose roles stand after prefix; parts: of each kind of layer its own, the first is
-- part; linears: those of its operations that have weights side by side (ops/linear.lua), which are packed in order.
--
-- An operation is a table, and the schedule is loops over these (plan/graph.lua):
--   name                       its own among all
--   op                         what it does, in a word for people; fused: what it does besides
--   reads, writes              names of tensors; what it changes in place is in both
--   weights                    roles that it reads, nil for none. In a layer without the layer's number: "next." before
--                              one of the next layer, "last." before one outside the layers that the last layer reads
--   phase                      "call": once, before there are rows; "row": to each row on its way in; "all rows": to
--                              all, by all threads together; "block": to a block of rows by one thread, after which it
--                              goes on to the next operation of that phase; "output": where a call asks for it
--   template                   "BLOCK.NAME": its C stands after `$$ operation: NAME` in templates/ops/BLOCK.c.lt, where
--                              `op` is the operation and op.reads, op.writes the tensors
--   call, says                 in place of that, in a layer for "all rows": the C function, and what it does
--   does                       of phase "block": what `info` says of it, nil for nothing
--   panels                     the packed part of a layer's weights that it reads from end to end, so that it is worth
--                              asking for ahead; nil for none
--   width                      its work, as columns of a product over rows of d_model, in C; nil: not worth a thread
--
-- A tensor is a table:
--   name, shape                shape: dimensions by name, the slowest first: "rows" for all real rows of a call,
--                              "memory_rows" for those of keys, "block" for a block of rows of each thread, "thread"
--                              for what each thread has besides
--   dtype                      "f32" where nil
--   is                         "input" or "output" of a call, or its "cache"; "private": memory of an operation's own,
--                              whose buffer its templates declare; nil: a buffer in scratch, which also has
--   width, stride              floats of a row, and what the C calls the floats from a row to the next
--   apart                      whether rows keep out of each other's cache sets
-- Nobody says how long a tensor lives: it follows from what reads and writes it.
--
-- What a part of the packed weights is packed from is a list of tables (plan/packing.lua), each with `at`, where it
-- begins in the part, in bytes (nil: 0), and the fields of its kind in runtime/packing/packed_parts.h:
--   { kind = "copy", role, rows, columns, stride }   a matrix, or a vector as rows (nil: 1), `stride` floats apart
--                              (nil: columns)
--   { kind = "rows", role, rows, columns, dtype, scales_part }   a matrix as elements of a dtype (enum ga_dtype);
--                              scales_part: the part that has the scales of its rows, nil for none
--   { kind = "angles", layout, places, width, theta, scaling }   layout: as enum ga_angles ends; scaling: fields of
--                              struct ga_rope_scaling, as emit/initializer.lua takes them, nil for none
--   { kind = "buckets", role, heads, span, own, starts, has_later }
-- in_scores: the numbers become those of scores as softmax reads them.
--
-- What several blocks need is a block without fields, which they ask for in resolve:
--   spec.adds_rows             sums of rows
--   spec.activates             activations over rows, by name; ops/activations.lua asks for one
--   spec.runs_last             linears after the last layer
--   spec.own_token_table       the embedding is such a matrix; false where another block keeps it
local blocks = {}

for _, name in ipairs({ "layers", "layer_pattern", "late_interaction", "pair_scores", "tokens", "positions", "sublayer",
  "adapter", "norm", "added_rows", "linear", "attention", "memory_attention", "memory_mask", "activations",
  "feed_forward", "run_last", "pooling", "pool_first", "dense", "classifier",
  "logits_transform", "logits_softcap", "logits" }) do
  blocks[#blocks + 1] = require("ops." .. name)
end

-- Names that blocks of a spec give to operations and to templates.
function blocks.words(spec)
  local list = {}
  for _, block in ipairs(blocks) do
    for name, value in pairs(block.words and block.words(spec) or {}) do list[name] = value end
  end
  return list
end

local function linears_of(sublayer)
  local list = {}
  for _, op in ipairs(sublayer.operations) do list[#list + 1] = op.parts and op or nil end
  return list
end

local function adder(sublayer)
  return function(op) table.insert(sublayer.operations, op) end
end

-- What a layer of a spec does, in order.
function blocks.sublayers(spec)
  local list, words = {}, blocks.words(spec)
  for _, block in ipairs(blocks) do
    for _, sublayer in ipairs(block.sublayers and block.sublayers(spec, words) or {}) do
      blocks.each("result_operations", spec, adder(sublayer), sublayer, words)
      sublayer.linears = linears_of(sublayer)
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
