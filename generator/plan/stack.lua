-- plan/stack.lua: the plan of a whole model for one instruction set: its graph with the steps of a layer, the plans of
-- its parts, its products, where the weights of a layer lie, and its buffers. Asks no block what it is, and holds no C
-- text.
local blocks = require "ops"
local caches = require "plan.caches"
local fast = require "plan.fast"
local graph = require "plan.graph"
local lifetimes = require "plan.lifetimes"
local linear = require "plan.linear"
local packed = require "plan.packed"
local packing = require "plan.packing"
local plan = require "plan"
local shape = require "plan.shape"
local tuning = require "plan.tuning"

local stack = {}

local MID_BYTES = 512 * 1024 -- of a buffer of a block of rows, between the products of a sublayer: it stays in L2
-- At least so many rows even if their buffer does not stay there: all weights are read for each block, many times the
-- bytes of the buffer.
local LEAST_ROWS, MOST_ROWS = 128, 192
local CACHE_PERIOD = 2048 -- bytes
local OF_THREADS = { block = true, thread = true } -- first dimensions of buffers that each thread has its own of
local ROWS = "x" -- the tensor that goes through all layers, and that the schedule itself takes rows away from

local function round_up(n, step)
  return math.ceil(n / step) * step
end

-- Floats from a row to the next of n: where rows of a tile would fall into two sets of the L1 cache, or into one (its
-- sets repeat after 4 KiB), two lines more.
local function apart(n)
  return n * 4 % CACHE_PERIOD == 0 and n + 2 * caches.line_floats or n
end

-- The first operation that is a product of that name, nil where none is.
local function multiplier(p, name)
  for _, op in ipairs(p.graph.operations) do
    if op.product == name then return op end
  end
end

-- Whether a product reads a tensor.
local function is_factor(p, tensor)
  for _, op in ipairs(p.graph.operations) do
    if op.product and op.reads[1] == tensor then return true end
  end
  return false
end

-- A product of `n_in` wide rows into rows of n_out, by the strides of the tensors that it reads and writes. f.to: the
-- one that it leaves for another product, if any.
local function product(p, dims)
  local vw, op = p.isa.width, multiplier(p, dims.op)
  local from, to = op and op.reads[1], op and op.writes[1]
  local choices = dims.role and p.spec.choices_of[dims.role] or { "f32" }
  local first = plan.product(p, choices, dims.op, dims.what, function(arithmetic)
    return { vectors = math.ceil(dims.n_out / vw), k = dims.n_in, lda = from and from.floats or dims.n_in,
      ldc = to and to.floats or dims.n_out, tail = dims.n_out % vw, arithmetic = arithmetic, levels = dims.levels }
  end)
  for _, f in ipairs(first.choices) do
    f.n_out, f.of_layers, f.role, f.rows_of = dims.n_out, op ~= nil, dims.role, dims.rows
    f.to = to and is_factor(p, to) and to or nil
  end
  return first
end

-- Products; where some of layers make their rows, one buffer holds any of these, and another the products of a tile.
local function plan_products(p)
  local narrow, products = p.buffer.narrow, p.buffer.products
  if products then products.floats = fast.room(p.isa, p.spec.matmul_levels) end
  p.products, p.product = {}, {}
  blocks.each("products", p.spec, function(dims)
    local f = product(p, dims)
    for _, choice in ipairs(f.choices) do p.products[#p.products + 1] = choice end
    p.product[f.op] = f
    if f.made and f.of_layers then narrow.floats = math.max(narrow.floats, f.made / 4) end
  end)
end

-- -- Packed weights ---------------------------------------------------------------------------------------------------

-- Appends a product. linears: those whose columns lie side by side (plan/packing.lua).
local function add_product(p, layout, name, f, linears)
  packed.add_product(layout, name, f, round_up(f.n_out, p.isa.width), function(choice)
    return packing.side_by_side(choice, p.isa.width, linears, name)
  end)
end

local function adder(layout)
  return function(name, count, fills, type_name) packed.add(layout, name, count, type_name or "f32", fills) end
end

-- The packed weights of one layer.
local function layer_packed(p)
  local layout = packed.new()
  for _, sublayer in ipairs(p.spec.sublayers) do
    local bytes = 0
    for _, part in ipairs(sublayer.parts or {}) do bytes = math.max(bytes, p[part].packed.bytes) end
    if sublayer.part then packed.add_bytes(layout, sublayer.part, bytes) end
    for _, of in ipairs(sublayer.linears) do
      add_product(p, layout, of.name, p.product[of.product], of.side_by_side)
    end
    blocks.each("sublayer_packed", p.spec, adder(layout), sublayer.name)
  end
  return layout
end

-- The packed weights: what stands around the layers, then the layers.
local function plan_packed(p)
  local layout = packed.new()
  p.layer_packed = layer_packed(p)
  local last = {}
  local function add_linear(name, of)
    add_product(p, layout, name, p.product[name], { of })
    last[#last + 1] = { name = name, weight = of.weight }
  end
  blocks.each("packed_vocabulary", p.spec, adder(layout), add_linear)
  blocks.each("packed", p.spec, adder(layout), add_linear)
  packed.add_bytes(layout, "layers", p.spec.n_layers * p.layer_packed.bytes)
  p.packed, p.linears_after = layout, last
end

-- The linears: those of a layer, whose weights are the layer's, then those after the layers.
local function plan_linears(p)
  local _, _, layer_role = shape.layer_roles(p.spec)
  local function add(layout, name, f, role, roles)
    linear.add(p, layout, { name = name, role = role, product = f, packed = name, roles = roles })
  end
  for _, sublayer in ipairs(p.spec.sublayers) do
    for _, of in ipairs(sublayer.linears) do
      local roles = {}
      for i, part in ipairs(of.side_by_side) do roles[i] = layer_role(part.weight) end
      add(p.layer_packed, of.name, p.product[of.product], of.role, roles)
    end
  end
  for _, of in ipairs(p.linears_after) do
    add(p.packed, of.name, p.product[of.name], p.product[of.name].role, { shape.of(p.spec).role_at(of.weight) })
  end
end

-- -- Graph and buffers ------------------------------------------------------------------------------------------------

-- The graph, and the steps of a layer (plan/lifetimes.lua): p.layer_steps, p.steps in words; of each of the former,
-- kept: buffers of all rows that its blocks find filled, in addition to the rows themselves.
local function plan_graph(p)
  p.graph = graph.of_stack(p.spec)
  p.layer_steps, p.steps = lifetimes.steps(p.graph)
  lifetimes.find(p.graph, #p.steps, #p.layer_steps > 0)
  for _, step in ipairs(p.layer_steps) do
    step.kept = {}
    for _, tensor in ipairs(p.graph.tensors) do
      local is_kept = tensor.width and tensor.shape[1] == "rows" and tensor.exposed[step.at]
      step.kept[#step.kept + 1] = is_kept and tensor.name ~= ROWS and tensor or nil
    end
  end
end

-- Whether transient buffers may lie where operations have memory of their own: no step needs both.
local function may_share(p)
  for _, private in ipairs(p.graph.tensors) do
    for _, buffer in ipairs(private.is == "private" and p.buffers or {}) do
      if buffer.is_transient and lifetimes.meet(private, buffer) then return false end
    end
  end
  return true
end

-- Buffers: the tensors in scratch, those of all rows of a call before those of one block a thread; floats: from a row
-- to the next. The transient ones come last, in memory that they share with operations' own where p.shares.
local function plan_buffers(p)
  local of_rows, of_blocks = {}, {}
  p.buffers, p.buffer = {}, {}
  for _, tensor in ipairs(p.graph.tensors) do
    if tensor.width then
      tensor.floats = tensor.apart and apart(tensor.width) or tensor.width
      local list = OF_THREADS[tensor.shape[1]] and of_blocks or of_rows
      list[#list + 1], p.buffer[tensor.name] = tensor, tensor
    end
  end
  for _, list in ipairs({ of_rows, of_blocks }) do
    for _, tensor in ipairs(list) do p.buffers[#p.buffers + 1] = tensor end
  end
  p.shares = may_share(p)
end

-- Rows that go through a step together: what one product leaves for another stays in cache.
local function plan_block_rows(p)
  for _, f in ipairs(p.products) do
    if f.to then
      local kept = math.min(MOST_ROWS, math.max(LEAST_ROWS, math.floor(MID_BYTES / (f.to.width * 4))))
      local rows = round_up(tuning.value(p, "block.rows", kept, { least = 16, most = 2 * MOST_ROWS,
        candidates = tuning.doublings(kept) }), f.mr)
      p.block_rows = math.min(rows, p.block_rows or rows)
    end
  end
end

-- The plans of the parts that sublayers have, also as p[part].
local function plan_parts(p, set)
  p.parts = {}
  for _, sublayer in ipairs(p.spec.sublayers) do
    for _, name in ipairs(sublayer.parts or {}) do
      p[name] = plan.make(p.spec[name .. "_spec"], set, p.kernels)
      p.parts[#p.parts + 1] = p[name]
    end
  end
end

-- All kernels: those of the parts, then its own.
local function plan_families(p)
  p.families = {}
  for _, part in ipairs(p.parts) do
    for _, f in ipairs(part.families) do p.families[#p.families + 1] = f end
  end
  for _, f in ipairs(p.products) do p.families[#p.families + 1] = f end
end

-- of_model: the kernels of the model that it is a side of.
function stack.make(spec, set, of_model)
  local p = plan.start(spec, set, of_model)
  plan_parts(p, set)
  plan_graph(p)
  plan_buffers(p)
  plan_products(p)
  plan_block_rows(p)
  plan_families(p)
  plan_packed(p)
  plan_linears(p)
  return p
end

return stack
