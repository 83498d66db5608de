-- plan/linear.lua: the linears of a whole model on one instruction set, in one list: of each, which product computes it
-- and where its weights are, in every format that a call may choose. Knows no linear by name, and holds no C text.
local kernels = require "plan.kernels"

local linear = {}

-- Floats of a row of a product's results.
local function width_of(f, vector)
  local vectors = 0
  for _, nv in ipairs(f.widths) do vectors = vectors + nv end
  return vectors * vector - (f.tail > 0 and vector - f.tail or 0)
end

-- The place of a product among those of the model, from 0 on. Two that compute the same on rows of the same strides are
-- one.
local function product_at(all, f)
  local key = kernels.key_of({ f.group.name, f.mr, f.nv, #f.widths, f.widths[#f.widths], f.tail, f.ldc, f.x_floats,
    f.depth, f.panels_per_pass, f.kc_blocks, f.lines, f.lowest_asking, f.levels or false })
  if not all.product_at[key] then
    f.width = width_of(f, all.set.width)
    all.products[#all.products + 1], all.product_at[key] = f, #all.products
  end
  return all.product_at[key]
end

local function part_of(layout, name)
  for _, part in ipairs(layout.parts) do
    if part.name == name then return part end
  end
end

-- Bytes from one head of a linear to the next: of its panels, its biases and its inputs.
local function step(fill, panels, biases, input)
  return { panels = fill[panels], bias = fill[biases] * 4, input = input }
end

-- A linear in one of its formats. layout: of the weights; fill: what of the packed part is its own.
local function in_format(p, layout, of, f)
  local part = part_of(layout, of.packed .. f.suffix)
  local fill = part.fills[of.fill or 1]
  local is_shared = p.spec.shared_heads and fill.heads == 1 and of.inputs
  local input = is_shared and (f.rows and f.rows.part_bytes or of.inputs * 4) or 0
  local none = { head_bytes = 0, run_bytes = 0, head_biases = 0, run_biases = 0 }
  local own = is_shared and none or fill
  return {
    product = product_at(p.kernels, f), roles = of.roles, name = of.name, part = p.spec.name,
    role = of.role and "LINEAR_" .. of.role:upper() or "LINEARS",
    at = { panels = part.offset + fill.at, input = 0,
      bias = part_of(layout, fill.bias_part).offset + fill.bias_from * 4 },
    run = step(own, "run_bytes", "run_biases", input * (of.per_run or 1)),
    head = step(own, "head_bytes", "head_biases", input),
  }
end

-- Appends a linear to those of the plan (p.linears) and of its model. of:
--   name, role     its own name; whose format it has, nil: it is always f32
--   product        that of its first format
--   packed, fill   the part of the layout that has its panels; which of what fills that part, nil for the first
--   roles          its weights, by their places among the roles of its layer or its model
--   inputs         floats of a head's part of a row, where all heads have one weight
--   per_run        how many of these parts the heads of a key head have, nil for one
function linear.add(p, layout, of)
  local all = p.kernels.linears
  p.linears[#p.linears + 1] = { name = of.name, at = #all }
  for _, f in ipairs(of.product.choices) do all[#all + 1] = in_format(p, layout, of, f) end
end

return linear
