-- plan/stack.lua: the plan of a whole model for one instruction set: the plans of its parts, its products, where the
-- weights of a layer lie, and which buffers are alive when. Asks no block what it is, and holds no C text.
local blocks = require "ops"
local caches = require "plan.caches"
local packed = require "plan.packed"
local plan = require "plan"

local stack = {}

local MID_BYTES = 512 * 1024 -- of a buffer of a block of rows, between the products of a sublayer: it stays in L2
local LEAST_ROWS, MOST_ROWS = 48, 192
local CACHE_PERIOD = 2048 -- bytes

local function round_up(n, step)
  return math.ceil(n / step) * step
end

-- Floats from a row to the next of n: where rows of a tile would fall into two sets of the L1 cache, or into one (its
-- sets repeat after 4 KiB), two lines more.
local function apart(n)
  return n * 4 % CACHE_PERIOD == 0 and n + 2 * caches.line_floats or n
end

-- A product of `n_in` wide rows into rows of n_out; where these lie apart, by the strides of its buffers.
local function product(p, dims)
  local vw, from, to = p.isa.width, p.buffer[dims.from], p.buffer[dims.to]
  local f = plan.product(p, dims.op, dims.what, {
    vectors = math.ceil(dims.n_out / vw), k = dims.n_in, lda = from and from.floats or dims.n_in,
    ldc = to and to.floats or dims.n_out, part = dims.n_out % vw,
  })
  f.n_out, f.to, f.of_layers = dims.n_out, to, dims.of_layers ~= false
  return f
end

local function plan_products(p)
  p.products, p.product = {}, {}
  blocks.each("products", p.spec, function(dims)
    local f = product(p, dims)
    p.products[#p.products + 1], p.product[f.op] = f, f
  end)
end

-- -- Packed weights ---------------------------------------------------------------------------------------------------

-- Appends the panels and biases of a product.
local function add_product(p, layout, name, f)
  packed.add_linear(layout, name, f.k, round_up(f.n_out, p.isa.width), f.dtype)
end

local function adder(layout)
  return function(name, floats) packed.add(layout, name, floats, "f32") end
end

-- The packed weights of one layer.
local function layer_packed(p)
  local layout = packed.new()
  for _, sublayer in ipairs(p.spec.sublayers) do
    if sublayer.part then packed.add_bytes(layout, sublayer.part, p[sublayer.part].packed.bytes) end
    for _, linear in ipairs(sublayer.linears) do add_product(p, layout, linear.packed, p.product[linear.product]) end
    blocks.each("sublayer_packed", p.spec, adder(layout), sublayer.name)
  end
  return layout
end

-- The packed weights: what stands around the layers, then the layers.
local function plan_packed(p)
  local layout = packed.new()
  p.layer_packed = layer_packed(p)
  local function add_linear(name) add_product(p, layout, name, p.product[name]) end
  blocks.each("packed_vocabulary", p.spec, adder(layout), add_linear)
  blocks.each("packed", p.spec, adder(layout))
  packed.add_bytes(layout, "layers", p.spec.n_layers * p.layer_packed.bytes)
  p.packed = layout
end

-- -- Steps and buffers ------------------------------------------------------------------------------------------------

-- What happens in a layer: { whole, says, sublayers }: the C function that all threads run over all rows (nil for none)
-- and what it does, then the sublayers that each block of rows goes through.
local function layer_steps(sublayers)
  local list = {}
  for _, sublayer in ipairs(sublayers) do
    if sublayer.call or #list == 0 then
      list[#list + 1] = { whole = sublayer.call, says = sublayer.says, sublayers = {} }
    end
    local inner = list[#list].sublayers
    inner[#inner + 1] = sublayer
  end
  return list
end

-- What a step's sublayers do to a block of rows, in words.
local function work_of(step)
  local words = {}
  for i, sublayer in ipairs(step.sublayers) do words[i] = sublayer.does end
  return table.concat(words, " and ")
end

-- Numbers the steps: p.steps, in words; of each of p.layer_steps, `at`: the number of what it does block by block.
local function plan_steps(p)
  p.layer_steps, p.steps = layer_steps(p.spec.sublayers), {}
  for _, step in ipairs(p.layer_steps) do
    step.does = work_of(step)
    p.steps[#p.steps + 1] = step.whole and step.says
    p.steps[#p.steps + 1] = step.does
    step.at = #p.steps
  end
  if #p.steps == 0 then p.steps[1] = "from first to last" end
end

-- The step of a layer in which a sublayer works on blocks of rows.
local function step_of(p, name)
  for _, step in ipairs(p.layer_steps) do
    for _, sublayer in ipairs(step.sublayers) do
      if sublayer.name == name then return step.at end
    end
  end
end

-- The first and the last step of a layer in which a buffer is alive.
local function alive(p, during)
  local last, first_block = #p.steps, p.layer_steps[1] and p.layer_steps[1].at
  if during == "layer" then return 1, last end
  if during == "blocks" then return first_block, last end
  local at = step_of(p, during)
  return at, at
end

-- Buffers { name, width, floats, unit, from, to, stride }: alive from one step of a layer to another; those of "rows"
-- hold all real rows of a call, those of "block" one block a thread. floats: from a row to the next.
local function plan_buffers(p)
  local of_rows, of_blocks = {}, {}
  p.buffers, p.buffer = {}, {}
  blocks.each("buffers", p.spec, function(b)
    b.from, b.to = alive(p, b.during)
    b.floats = b.apart and apart(b.width) or b.width
    local list = b.unit == "block" and of_blocks or of_rows
    list[#list + 1], p.buffer[b.name] = b, b
  end)
  for _, list in ipairs({ of_rows, of_blocks }) do
    for _, b in ipairs(list) do p.buffers[#p.buffers + 1] = b end
  end
end

-- Rows that go through a step together: what one product leaves for another stays in cache.
local function plan_block_rows(p)
  for _, f in ipairs(p.products) do
    if f.to then
      local kept = math.floor(MID_BYTES / (f.to.width * 4))
      local rows = round_up(math.min(MOST_ROWS, math.max(LEAST_ROWS, kept)), f.mr)
      p.block_rows = math.min(rows, p.block_rows or rows)
    end
  end
end

-- The plans of the parts that sublayers have, also as p[part].
local function plan_parts(p, set)
  p.parts = {}
  for _, sublayer in ipairs(p.spec.sublayers) do
    local part = sublayer.part and plan.make(p.spec[sublayer.part .. "_spec"], set)
    p.parts[#p.parts + 1] = part or nil
    if part then p[sublayer.part] = part end
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

function stack.make(spec, set)
  local p = plan.start(spec, set)
  plan_parts(p, set)
  plan_steps(p)
  plan_buffers(p)
  plan_products(p)
  plan_block_rows(p)
  plan_families(p)
  plan_packed(p)
  return p
end

return stack
