-- emit/stack.lua: what the templates of a whole model need in addition to its plan: which role of a layer is where, as
-- numbers. Decides nothing; every number comes from the spec and the plan.
local bilinear = require "base.bilinear"
local blocks = require "ops"
local graph = require "plan.graph"
local layer = require "emit.layer"
local over = require "emit.over"
local plan_one_row = require "plan.one_row"
local shape = require "plan.shape"

local stack = {}

-- The names of the template that joins both sides of a transformer.
function stack.sides_env(p, base)
  return setmetatable({
    prefix = p.prefix, packed = p.packed.parts, encoder_prefix = p.encoder.prefix, decoder_prefix = p.decoder.prefix,
    encoder_name = p.encoder.spec.name, decoder_name = p.decoder.spec.name,
    encoder_attention = p.encoder.spec.layer_attention,
  }, { __index = base })
end

-- Which plan a side's properties are of, "encoder" or "stack": its steps and buffers are those of any instruction set.
function stack.side_plan(p)
  return function(side)
    return p.encoder and (side == "encoder" and p.encoder or p.decoder) or p
  end
end

-- One line of what the model is; nil where it is one layer.
function stack.summary(s)
  if not s.stack then return nil end
  if not s.attends then
    return ("%s of %d layers, d_model %d, d_ff %d"):format(s.kind, s.n_layers, s.d_model, s.d_ff)
  end
  return ("%s of %d layers, d_model %d, n_heads %d, d_ff %d"):format(s.kind, s.n_layers, s.d_model, s.n_heads, s.d_ff)
end

local KEEPS_LAST = { always = "true", never = "false" }

-- The conditions of plan/one_row.lua in C: conflicts: those under which a call needs two rows of a sequence; no_more:
-- that under which it needs no further one; keeps_last: that under which the row is the last.
local function one_row(s)
  local kept, conflicts, none = plan_one_row(s), {}, {}
  for i, pair in ipairs(kept.conflicts) do conflicts[i] = ("io->%s && io->%s"):format(pair[1], pair[2]) end
  for i, name in ipairs(kept.all) do none[i] = "!io->" .. name end
  none[#none + 1] = "!(io->hidden && io->hidden[N_LAYERS])"
  local keeps_last = KEEPS_LAST[kept.keeps_last] or "!io->" .. table.concat(kept.first, " && !io->")
  return kept.can_prune, { conflicts = conflicts, no_more = table.concat(none, " && "), keeps_last = keeps_last }
end

-- Where in a layer's weights an operation's panels are, in C.
local function panels_of(p, op)
  if not op.role then return "LAYER_" .. op.panels:upper() end
  return ("%s_linear(p->io, LINEAR_%s)->at.panels"):format(p.kernels.prefix, op.panels:upper())
end

-- Bytes of the narrow rows that linears after the layers multiply, in C; false for none.
local function last_room(p)
  local most, terms = {}, {}
  for _, of in ipairs(p.linears_after) do
    local f = p.product[of.name]
    most[f.rows_of] = math.max(most[f.rows_of] or 0, f.made or 0)
  end
  for _, rows in ipairs({ "rows", "batch" }) do
    terms[#terms + 1] = (most[rows] or 0) > 0 and ("%s * %d"):format(rows, most[rows]) or nil
  end
  return #terms == 2 and ("ga_max(%s, %s)"):format(terms[1], terms[2]) or terms[1] or false
end

-- Where the weights are that will be needed after an operation's own, in C.
local function next_weights(p, op)
  if not op.next then return "NULL" end
  if not op.next_layer then return ("packed_at(w, %s)"):format(panels_of(p, op.next)) end
  local is_first = p.layer_packed.parts[1].name == op.next.panels
  return ("p->layer + 1 < N_LAYERS ? packed_at(w, LAYER_BYTES%s) : NULL"):format(
    is_first and "" or " + " .. panels_of(p, op.next))
end

-- C declarations of the buffers of blocks that are alive in a step.
local function block_buffers(p, at)
  local list = {}
  for _, b in ipairs(p.buffers) do
    if b.shape[1] == "block" and b.alive[at] then
      list[#list + 1] = ("%s = p->b.%s + thread * (p->block_rows * %s + APART)"):format(b.name, b.name, b.stride)
    end
  end
  return list
end

-- The steps of a layer in C, and those of them that do something block by block: name: of a step's functions; width:
-- of its products together.
local function steps(p)
  local list, of_blocks = {}, {}
  for i, step in ipairs(p.layer_steps) do
    local operations, widths = {}, {}
    for j, op in ipairs(step.operations) do
      operations[j] = setmetatable({ next_weights = next_weights(p, op) }, { __index = op })
      widths[#widths + 1] = op.width
    end
    list[i] = {
      name = i == #p.layer_steps and "finish" or i == 1 and "join" or "join_" .. i,
      whole = step.whole and step.whole.call, does = step.does, operations = operations,
      width = table.concat(widths, " + "), buffers = block_buffers(p, step.at), kept = step.kept,
    }
    of_blocks[#of_blocks + 1] = #operations > 0 and list[i] or nil
  end
  return list, of_blocks
end

-- Rows `from` on of a tensor, as a block of rows names them in C.
local function rows_of(tensor)
  local is_block = tensor.shape[1] == "block"
  return is_block and tensor.name or ("p->b.%s + from * %s"):format(tensor.name, tensor.stride)
end

-- The buffers of which this is true.
local function buffers_that(p, are_transient)
  local list = {}
  for _, buffer in ipairs(p.buffers) do list[#list + 1] = buffer.is_transient == are_transient and buffer or nil end
  return list
end

-- The names of a stack's templates, over the spec's.
function stack.env(p, base, shared)
  local first, _, role = shape.layer_roles(p.spec)
  local env = {
    plan = p, packed = p.packed.parts, out = false, plan_linears = p.linears, last_room = last_room(p),
    has_layers = p.spec.n_layers > 0, sublayers = p.spec.sublayers, rows_of = rows_of,
    first_layer_role = first, layer_roles = shape.roles_per_layer(p.spec), layer_role = role,
    first_layer_lacks = shape.lacks_first(p.spec) or 0,
    lasting_buffers = buffers_that(p, false), transient_buffers = buffers_that(p, true),
  }
  for _, more in ipairs({ shared, blocks.words(p.spec) }) do
    for name, value in pairs(more) do env[name] = value end
  end
  env.rows_together = p.spec.matmul_levels and bilinear.levels[p.spec.matmul_levels].sides
  env.can_prune, env.one_row = one_row(p.spec)
  env.can_prune = env.can_prune and not p.spec.matmul_levels -- a row has the bits of its partners beside it
  env.layer_steps, env.block_steps = steps(p)
  function env.operations(place, phase) return graph.at(p.graph, place, phase) end
  return over(env, layer, p, base)
end

return stack
