-- emit/stack.lua: what the templates of a whole model need beside its plan: which role of a layer is where, as numbers.
-- Decides nothing; every number comes from the spec and the plan.
local blocks = require "ops"
local fmt = require "base.fmt"
local layer = require "emit.layer"

local stack = {}

-- The specs that a spec is made of, as it calls them and as its plans do.
stack.PARTS = { "encoder", "decoder", "attention", "memory" }

-- A spec's parts and theirs, in order.
function stack.parts(s)
  local list = {}
  for _, field in ipairs(stack.PARTS) do
    local part = s[field .. "_spec"]
    list[#list + 1] = part
    for _, inner in ipairs(part and stack.parts(part) or {}) do list[#list + 1] = inner end
  end
  return list
end

-- The names of the template that joins both sides of a transformer.
function stack.sides_env(p, base)
  return setmetatable({
    prefix = p.prefix, packed = p.packed.parts, encoder_prefix = p.encoder.prefix, decoder_prefix = p.decoder.prefix,
    encoder_name = p.encoder.spec.name, decoder_name = p.decoder.spec.name, encoder_roles = #p.encoder.spec.roles,
    encoder_attention = p.encoder.spec.layer_attention,
  }, { __index = base })
end

-- Which plan a side's facts are of, "encoder" or "stack": its steps and buffers are those of any instruction set.
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

-- The index of the first role of layer 0, how many roles a layer has, and a function from a role's name in its layer
-- to its index from the layer's first on (nil where there is none).
local function layer_roles(s)
  local first, count, at = 0, 0, {}
  for i, role in ipairs(s.roles) do
    local inner = role.name:match("^layers%.0%.(.*)$")
    if inner then
      if count == 0 then first = i - 1 end
      at[inner], count = count, count + 1
    end
  end
  return first, count, function(name) return at[name] end
end

-- Names that blocks give to templates.
local function words(s)
  local list = {}
  for _, block in ipairs(blocks) do
    for name, value in pairs(block.words and block.words(s) or {}) do list[name] = value end
  end
  return list
end

-- What a call may want, by the rows of a sequence that it needs: names in struct ga_io by "first", "last" and "all".
local function wanted(s)
  local list = { first = {}, last = {}, all = { "output" } }
  blocks.each("outputs", s, function(name, rows) table.insert(list[rows], name) end)
  return list
end

-- How a call goes on with one row of each sequence after the last layer has attended: conflicts: C conditions under
-- which it needs two; no_more: that under which it needs no further one; keeps_last: whether the row is the last.
local function one_row(s)
  local outputs, conflicts, none = wanted(s), {}, {}
  for _, first in ipairs(outputs.first) do
    for _, last in ipairs(outputs.last) do conflicts[#conflicts + 1] = ("io->%s && io->%s"):format(first, last) end
  end
  for i, name in ipairs(outputs.all) do none[i] = "!io->" .. name end
  none[#none + 1] = "!(io->hidden && io->hidden[N_LAYERS])"
  local keeps_last = #outputs.first == 0 and "true" or #outputs.last == 0 and "false" or
    "!io->" .. table.concat(outputs.first, " && !io->")
  local can_prune = #outputs.first + #outputs.last > 0
  return can_prune, { conflicts = conflicts, no_more = table.concat(none, " && "), keeps_last = keeps_last }
end

-- The sublayers with what comes after each: following: the next sublayer, next_weights: where its weights are, in C.
local function sublayers(s)
  local list = {}
  for i, sublayer in ipairs(s.sublayers) do
    local following = s.sublayers[i + 1]
    list[i] = setmetatable({
      following = following or false,
      next_weights = following and ("packed_at(w, LAYER_%s)"):format(following.first:upper()) or
        "p->layer + 1 < N_LAYERS ? packed_at(w, LAYER_BYTES) : NULL",
    }, { __index = sublayer })
  end
  return list
end

-- C declarations of the buffers of blocks that are alive in a step.
local function block_buffers(p, at)
  local list = {}
  for _, b in ipairs(p.buffers) do
    if b.unit == "block" and b.from <= at and at <= b.to then
      list[#list + 1] = ("%s = p->b.%s + part * p->block_rows * %s"):format(b.name, b.name, b.stride)
    end
  end
  return list
end

-- The steps of a layer in C: name: of its functions; width: of its products together.
local function steps(p, list, normed)
  local steps_of, at = {}, 0
  for i, step in ipairs(p.layer_steps) do
    local inner, widths = {}, {}
    for j in ipairs(step.sublayers) do
      at = at + 1
      inner[j], widths[j] = list[at], list[at].width
    end
    steps_of[i] = {
      name = i == #p.layer_steps and "finish" or i == 1 and "join" or "join_" .. i,
      whole = step.whole, does = step.does, sublayers = inner, width = table.concat(widths, " + "),
      buffers = block_buffers(p, step.at), input = inner[1].input or normed, input_width = inner[1].input_width,
    }
  end
  return steps_of
end

-- The names of a stack's templates, over the spec's.
function stack.env(p, base, shared)
  local first, count, role = layer_roles(p.spec)
  local env = {
    plan = p, products = p.products, families = p.families, packed = p.packed.parts, out = false,
    has_layers = p.spec.n_layers > 0, sublayers = sublayers(p.spec),
    first_layer_role = first, layer_roles = count, layer_role = role, max_height = layer.max_height,
    panel_kernels = layer.panel_kernels, steps = layer.steps, kernel_list = layer.kernel_list, max_sum = p.max_sum,
    near_bytes = p.near_bytes, f32_of = fmt.f32,
  }
  for _, more in ipairs({ shared, words(p.spec) }) do
    for name, value in pairs(more) do env[name] = value end
  end
  env.can_prune, env.one_row = one_row(p.spec)
  env.layer_steps = steps(p, env.sublayers, env.normed)
  return setmetatable(env, { __index = base })
end

return stack
