-- plan/stack.lua: the plan of a whole model for one instruction set: the plan of its layers' attention, the products
-- beside it, where the weights of a layer lie, and which buffers are alive when. Holds no C text.
local packed = require "plan.packed"
local plan = require "plan"

local stack = {}

local MID_BYTES = 512 * 1024 -- of what passes between the feed-forward's linears: it stays in L2
local LEAST_ROWS, MOST_ROWS = 48, 192
local ALIGN_FLOATS = 16
local CACHE_PERIOD = 2048 -- bytes

local function round_up(n, step)
  return math.ceil(n / step) * step
end

-- Floats from a row to the next of n: where rows of a tile would fall into two sets of the L1 cache, or into one (its
-- sets repeat after 4 KiB), two lines more.
local function apart(n)
  return n * 4 % CACHE_PERIOD == 0 and n + 2 * ALIGN_FLOATS or n
end

-- A product of `n_in` wide rows, n_in of `lda`, into rows of n_out.
local function product(p, op, what, dims)
  local vw = p.isa.width
  local f = plan.product(p, op, what, {
    vectors = math.ceil(dims.n_out / vw), k = dims.n_in, lda = dims.lda or dims.n_in, ldc = dims.ldc or dims.n_out,
    part = dims.n_out % vw,
  })
  f.n_out = dims.n_out
  return f
end

local function plan_products(p)
  local s = p.spec
  p.heads = s.n_heads * s.d_head
  p.mid = s.d_ff * (s.ffn.gated and 2 or 1) -- of a gated pair, the gate first
  p.mid_stride = apart(p.mid)
  p.products, p.product = {}, {}
  local function add(...) p.products[#p.products + 1] = product(p, ...) end
  if p.attention then
    add("out", "heads side by side -> what joins the residual", { n_in = p.heads, n_out = s.d_model })
  end
  if s.n_layers > 0 then
    add("up", s.ffn.gated and "rows -> gate and up, side by side" or "rows -> the width of the feed-forward",
      { n_in = s.d_model, n_out = p.mid, ldc = p.mid_stride })
    add("down", s.layer.residual and "feed-forward -> what joins the residual" or "feed-forward -> rows",
      { n_in = s.d_ff, lda = p.mid_stride, n_out = s.d_model })
  end
  if s.logits then add("logits", "rows -> logits", { n_in = s.d_model, n_out = s.logits.size }) end
  for _, f in ipairs(p.products) do p.product[f.op] = f end
end

-- Appends the panels and biases of a product.
local function add_product(p, layout, name, f)
  packed.add_linear(layout, name, f.k, round_up(f.n_out, p.isa.width), f.dtype)
end

-- Appends a norm's weight and bias; nothing where there are no norms.
local function add_norm(p, layout, name)
  local norm = p.spec.norm
  if norm.kind ~= "none" then packed.add(layout, name, p.spec.d_model * (norm.bias and 2 or 1), "f32") end
end

-- The packed weights of one layer.
local function layer_packed(p)
  local layout = packed.new()
  for _, name in ipairs({ "attention", "memory" }) do
    if p[name] then
      packed.add_bytes(layout, name, p[name].packed.bytes)
      add_product(p, layout, name == "memory" and "memory_out" or "out", p.product.out)
      add_norm(p, layout, name .. "_norm")
    end
  end
  if p.product.up then
    add_product(p, layout, "up", p.product.up)
    add_product(p, layout, "down", p.product.down)
    add_norm(p, layout, "ffn_norm")
  end
  return layout
end

-- The packed weights: what stands around the layers, then the layers.
local function plan_packed(p)
  local s, layout = p.spec, packed.new()
  p.layer_packed = layer_packed(p)
  local function add(name, floats) packed.add(layout, name, floats, "f32") end
  local is_tied = s.logits and s.logits.tied
  if s.vocab_size and not is_tied then add("embedding", s.vocab_size * s.d_model) end
  if s.logits then add_product(p, layout, "logits", p.product.logits) end
  if s.positions then add("positions", s.positions.rows * s.d_model) end
  if s.token_types then add("token_types", s.token_types * s.d_model) end
  if s.embedding.norm then add_norm(p, layout, "embedding_norm") end
  if s.norm.final then add_norm(p, layout, "final_norm") end
  packed.add_bytes(layout, "layers", s.n_layers * p.layer_packed.bytes)
  p.packed = layout
end

-- What happens in a layer, in words; without layers, to rows.
local function steps(p)
  if p.spec.n_layers == 0 then return { "from first to last" } end
  if not p.attention then return { "feed-forward" } end
  return p.memory and { "attention", "joining", "attention to memory", "joining and feed-forward" } or
    { "attention", "joining and feed-forward" }
end

-- Rows that go from attention to the next layer together. Buffers { name, floats, unit, from, to }: alive from one step
-- of a layer to another; those of "rows" hold all real rows of a call, those of "block" one block a thread.
local function plan_buffers(p)
  local s = p.spec
  p.steps = steps(p)
  local last = #p.steps
  p.buffers = { { name = "x", floats = s.d_model, unit = "rows", from = 1, to = last } }
  local function add(name, floats, unit, from, to)
    p.buffers[#p.buffers + 1] = { name = name, floats = floats, unit = unit, from = from, to = to }
  end
  if s.n_layers == 0 then return end
  local rows = math.min(MOST_ROWS, math.max(LEAST_ROWS, math.floor(MID_BYTES / (p.mid * 4))))
  p.block_rows = round_up(rows, p.product.up.mr)
  if s.norm.place == "pre" then add("n", s.d_model, "rows", 1, last) end
  if p.memory then add("memory", s.d_model, "memory_rows", 1, last) end
  if p.attention then add("heads", p.heads, "rows", 1, last) end
  if s.layer.residual then add("y", s.d_model, "block", p.attention and 2 or 1, last) end
  add("mid", p.mid_stride, "block", last, last)
end

function stack.make(spec, set)
  local p = plan.start(spec, set)
  p.attention = spec.attention_spec and plan.make(spec.attention_spec, set)
  p.memory = spec.memory_spec and plan.make(spec.memory_spec, set)
  plan_products(p)
  p.families = {}
  local attention, memory = p.attention or { families = {} }, p.memory or { families = {} }
  for _, families in ipairs({ attention.families, memory.families, p.products }) do
    for _, f in ipairs(families) do p.families[#p.families + 1] = f end
  end
  plan_packed(p)
  plan_buffers(p)
  return p
end

return stack
