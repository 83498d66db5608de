-- packing.lua: how roles become packed weights, as tables of numbers for the runtime (runtime/packing/packed_parts.h):
-- linears, copies, angles and buckets, each with its roles and its place. Knows no operation, and holds no C text.
local bilinear = require "base.bilinear"
local shape = require "plan.shape"

local packing = {}

local CHUNK = 32 -- weights that are packed at a time where no scale of a running sum says how many; a group

-- The numbers of a family's panels, as enum ga_panel_numbers ends.
local function numbers_of(f)
  if f.levels then return "F32_SUM" end
  if f.X.groups then return f.X.groups.name:upper() end
  return f.X.name == "bf16" and "BF16_PRODUCT" or f.dtype:upper()
end

local function format_of(f)
  return { numbers = numbers_of(f), unit = f.X.unit, upper_first = f.X.upper_first or false,
    has_totals = f.X.has_offset or false }
end

-- Running sums down a column, of each head of the inputs; those without a scale are chunks of what there is.
local function sums_of(f, inputs)
  if f.X.is_integer then return f.sums end
  local depth = inputs.width
  return { { count = math.floor(depth / CHUNK), length = CHUNK },
    { count = depth % CHUNK > 0 and 1 or 0, length = depth % CHUNK } }
end

-- A linear as its fast product reads it: each input head is a sum of blocks of a part of the inputs and of the rows.
-- linear.half: which half of the columns its rows are, 0 or 1; nil for both.
local function divided(linear, levels)
  local scheme, inputs = bilinear.levels[levels], linear.inputs
  local own = linear.half and scheme.sides / 2 or scheme.sides -- parts of the columns
  return { weight = linear.weight, bias = linear.bias, rows = linear.rows / own, levels = levels,
    parts = { count = scheme.sides, first = (linear.half or 0) * own, own = own },
    inputs = { heads = #scheme.products, width = inputs.heads * inputs.width / scheme.sides } }
end

-- A linear { weight, bias, rows, inputs } as a part: weight, bias: names of roles; inputs: { heads, width }. more:
-- what is not as of a whole linear whose panels begin a part.
function packing.linear(f, vector, linear, more)
  local columns = f.widths[1] * vector
  linear = f.levels and divided(linear, f.levels) or linear
  local part = {
    kind = "linear", format = format_of(f), factor = 1, heads = 1, together = 1, head_bytes = 0, run_bytes = 0,
    head_biases = 0, run_biases = 0, first = 0, at = 0, bias_from = 0, panels = #f.widths, columns = columns,
    last_columns = f.widths[#f.widths] * vector, column_bytes = f.panel_bytes / (f.nv * vector),
    sums = sums_of(f, linear.inputs),
  }
  for _, fields in ipairs({ linear, more or {} }) do
    for name, value in pairs(fields) do part[name] = value end
  end
  return part
end

-- Linears { weight, bias, rows } as parts of the panels of f, side by side: bias is false where there is none, rows nil
-- for all columns; name: of the part. Two of a fast product are its halves.
function packing.side_by_side(f, vector, linears, name)
  local fills, first = {}, 0
  for i, linear in ipairs(linears) do
    local half = f.levels and #linears > 1 and i - 1 or nil
    local rows, depth = linear.rows or f.n_out, f.levels and bilinear.levels[f.levels].sides * f.depth or f.depth
    fills[i] = packing.linear(f, vector, { weight = linear.weight, bias = f.of == f and linear.bias, rows = rows,
      half = half, inputs = packing.plain(depth) }, { first = half and 0 or first, bias_from = half and first or 0,
      bias_part = name .. "_bias", factor = linear.factor or 1 })
    first = first + rows
  end
  return fills
end

-- The inputs of a linear whose rows come without heads.
function packing.plain(width)
  return { heads = 1, width = width }
end

-- q, k and v of a layer in their i-th arithmetics: of each key head its panels of k and v, then those of the q of its
-- query heads. has_bias(name): whether there is a role; the biases are packed with the first arithmetics.
function packing.heads(p, i, has_bias)
  local s, of = p.spec, p.project_of
  local n_kv, per_kv = s.n_kv_heads, s.n_heads / s.n_kv_heads
  if s.shared_heads then n_kv, per_kv = 1, 1 end
  local k, v, q = of.k.choices[i], of.v.choices[i], of.q.choices[i]
  local run_bytes, run_biases = k.bytes + v.bytes + per_kv * q.bytes, (2 + per_kv) * p.d_head_pad
  local function part(name, f, width, heads, together, at, bias_from)
    local bias = i == 1 and has_bias(name .. "_bias") and name .. "_bias"
    return packing.linear(f, p.isa.width, { weight = name .. "_weight", bias = bias, rows = s.d_head,
      inputs = packing.plain(s.shared_heads and s.d_head or width) }, {
      heads = heads, together = together, head_bytes = f.bytes, run_bytes = run_bytes, head_biases = p.d_head_pad,
      run_biases = run_biases, at = at, bias_from = bias_from, bias_part = "heads_bias",
      factor = name == "q" and p.factors.q or 1 })
  end
  return {
    part("k", k, s.k_dim, n_kv, 1, 0, 0), part("v", v, s.v_dim, n_kv, 1, k.bytes, p.d_head_pad),
    part("q", q, s.d_model, n_kv * per_kv, per_kv, k.bytes + v.bytes, 2 * p.d_head_pad),
  }
end

-- The output projection of a layer by one of its products.
function packing.out(p, f, has_bias)
  local s = p.spec
  local inputs = f.heads and { heads = s.n_heads, width = s.d_v } or packing.plain(f.depth)
  return packing.linear(f, p.isa.width, { weight = "o_weight", bias = f.of == f and has_bias("o_bias") and "o_bias",
    rows = s.d_out, inputs = inputs }, { bias_part = "o_bias" })
end

-- -- Lists ------------------------------------------------------------------------------------------------------------

local KINDS = { linear = "linears", copy = "copies", rows = "rows", angles = "angles", buckets = "buckets",
  table_product = "table_products" }

-- No parts yet, which are packed `count` times. first: the role from which roles count that all layers share.
local function empty(count, first)
  return { count = count, first_role = 0, n_roles = 0, at = 0, bytes = 0, linears = {}, copies = {}, rows = {},
    angles = {}, buckets = {}, table_products = {}, shared_role = first }
end

-- The roles of a spec whose names begin with prefix, by the rest of their names: at: an index, 0 for the first of them;
-- is_vector.
local function roles_of(spec, prefix)
  local by_name, before = {}, nil
  for i, role in ipairs(spec.roles) do
    if role.name:sub(1, #prefix) == prefix then
      before = before or i - 1
      by_name[role.name:sub(#prefix + 1)] = { at = i - 1 - before, is_vector = #role.shape == 1 }
    end
  end
  return by_name
end

-- The roles of a part of layer `layer` by their names there: among those of the layer or, where all layers share one,
-- of the stack.
local function roles_of_part(p, part, prefix, layer)
  local of_layer, of_stack, by_name = roles_of(p.spec, ("layers.%d."):format(layer)), roles_of(p.spec, ""), {}
  for _, role in ipairs(part.spec.roles) do
    local found = (role.is_shared and of_stack or of_layer)[prefix .. role.name]
    by_name[role.name] = { at = found.at, is_vector = found.is_vector, is_shared = role.is_shared }
  end
  return by_name
end

-- Appends what fills the parts of a layout, which begins `at` bytes after the list's; plan: whose the fills are;
-- shared: the list of those whose role all layers share, nil where there are none.
local function add_layout(list, layout, at, roles, plan, shared)
  local offset = {}
  for _, part in ipairs(layout.parts) do offset[part.name] = at + part.offset end
  for _, part in ipairs(layout.parts) do
    for _, fill in ipairs(part.fills or {}) do
      local role = fill.role and roles[fill.role] or {}
      local is_lacking = fill.role and not role.at -- of a layer that does without
      local all = is_lacking and {} or (role.is_shared and shared or list)[KINDS[fill.kind]]
      all[#all + 1] = setmetatable({
        at = offset[part.name] + (fill.at or 0),
        bias_at = fill.bias_part and offset[fill.bias_part] + fill.bias_from * 4,
        scales_at = fill.scales_part and offset[fill.scales_part],
        role = role.at, is_vector = role.is_vector,
        weight = fill.weight and roles[fill.weight].at, bias = fill.bias and roles[fill.bias].at,
        table = fill.table and roles[fill.table].at,
        norm_weight = fill.norm_weight and roles[fill.norm_weight].at,
        norm_bias = fill.norm_bias and roles[fill.norm_bias].at,
        factor = fill.in_scores and plan.factors.to_units(1) or fill.in_queries and plan.factors.q or fill.factor or 1,
      }, { __index = fill })
    end
  end
end

-- Layers that are packed alike, by their kind and their roles: { from, step, count }, so many from one on.
local function alike(s)
  local groups, first = {}, 0
  local period = s.layers and #s.layers.pattern or 1
  if shape.lacks_first(s) then
    groups[1], first = { from = 0, step = 1, count = 1 }, 1
  end
  for from = first, math.min(first + period, s.n_layers) - 1 do
    groups[#groups + 1] = { from = from, step = period, count = math.floor((s.n_layers - 1 - from) / period) + 1 }
  end
  return groups
end

-- The lists of some layers: of their own roles, and of those that all layers share.
local function lists_of(p, group, at, first)
  local first_role = shape.layer_roles(p.spec, group.from)
  local list, shared = empty(group.count, first), empty(group.count, first)
  list.first_role, list.n_roles = first + first_role, group.step * shape.roles_per_layer(p.spec)
  shared.first_role = first
  for _, each in ipairs({ list, shared }) do
    each.at, each.bytes = at + group.from * p.layer_packed.bytes, group.step * p.layer_packed.bytes
  end
  return list, shared
end

-- The index of a layer's kind among the parts of a sublayer.
local function kind_of(s, layer)
  return s.kind_of_layer and s.kind_of_layer[layer + 1] + 1 or 1
end

-- Appends the lists of layers that are alike.
local function add_layers(lists, p, group, at, first)
  local list, shared = lists_of(p, group, at, first)
  add_layout(list, p.layer_packed, 0, roles_of(p.spec, ("layers.%d."):format(group.from)), p)
  for _, sublayer in ipairs(p.spec.sublayers) do
    for _, part in ipairs(sublayer.part and p.layer_packed.parts or {}) do
      local inner = p[sublayer.parts and (sublayer.parts[kind_of(p.spec, group.from)] or sublayer.part)]
      if part.name == sublayer.part then
        local roles = roles_of_part(p, inner, sublayer.prefix, group.from)
        add_layout(list, inner.packed, part.offset, roles, inner, shared)
      end
    end
  end
  lists[#lists + 1] = list
  lists[#lists + 1] = #shared.buckets + #shared.copies > 0 and shared or nil
end

-- Appends the lists of one whole model, whose weights begin at `at` and its roles at `first`.
local function add_whole(lists, p, at, first)
  local list = empty(1, first)
  list.at, list.first_role = at, first
  add_layout(list, p.packed, 0, roles_of(p.spec, ""), p)
  lists[#lists + 1] = list
  for _, part in ipairs(p.layer_packed and p.spec.n_layers > 0 and p.packed.parts or {}) do
    for _, group in ipairs(part.name == "layers" and alike(p.spec) or {}) do
      add_layers(lists, p, group, at + part.offset, first)
    end
  end
end

-- The lists of a variant's parts, in order: of a layer one; of a stack what is outside the layers, then those of layers
-- that are alike and what layers share; of a transformer those of both sides.
function packing.lists(p)
  local lists = {}
  if p.encoder then
    add_whole(lists, p.encoder, p.packed.parts[1].offset, 0)
    add_whole(lists, p.decoder, p.packed.parts[2].offset, #p.encoder.spec.roles)
  else
    add_whole(lists, p, 0, 0)
  end
  return lists
end

return packing
