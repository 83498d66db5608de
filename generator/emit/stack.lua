-- emit/stack.lua: what the templates of a whole model need beside its plan: which role of a layer is where, as numbers.
-- Decides nothing; every number comes from the spec and the plan.
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

-- What a stack's templates ask of its spec, by names that say it. pre: norms stand before blocks. normed, result: the
-- buffers of what a layer's first block takes and of what the last layer leaves; first_norm: that block's norm.
-- has_norms, adds_rows: whether there is any norm, any sum of rows. can_prune: outputs may want one row a sequence.
local function shape_env(s)
  local pre = s.norm.place == "pre"
  local is_cls, is_mean = s.pool ~= nil and s.pool.kind == "cls", s.pool ~= nil and s.pool.kind == "mean"
  local has_layers = s.n_layers > 0
  return {
    attends = s.attends, has_layers = has_layers, residual = s.layer.residual,
    first_norm = s.attends and "ATTENTION" or "FFN",
    has_norms = s.norm.kind ~= "none" and (has_layers or s.norm.final or s.embedding.norm),
    adds_rows = has_layers and s.layer.residual or s.sublayer or s.positions ~= nil or s.token_types ~= nil or is_mean,
    pre = pre, normed = pre and "n" or "x", result = pre and s.norm.final and "n" or "x",
    tied = s.logits ~= nil and s.logits.tied, is_cls = is_cls, can_prune = is_cls or s.logits ~= nil,
  }
end

-- The names of a stack's templates, over the spec's.
function stack.env(p, base, shared)
  local first, count, role = layer_roles(p.spec)
  local env = {
    plan = p, products = p.products, families = p.families, packed = p.packed.parts, out = false,
    attention_prefix = p.attention and p.attention.prefix, attention_name = p.attention and p.attention.spec.name,
    memory_prefix = p.memory and p.memory.prefix or false, memory_name = p.memory and p.memory.spec.name,
    first_layer_role = first, layer_roles = count, layer_role = role, max_height = layer.max_height,
    panel_kernels = layer.panel_kernels, steps = layer.steps, kernel_list = layer.kernel_list, max_sum = p.max_sum,
    near_bytes = p.near_bytes, f32_of = fmt.f32,
  }
  for _, more in ipairs({ shared, shape_env(p.spec) }) do
    for name, value in pairs(more) do env[name] = value end
  end
  return setmetatable(env, { __index = base })
end

return stack
