-- plan/init.lua: spec + instruction set -> kernels with their tiles, layouts and sizes, all as ordered tables.
-- Holds no C text: expressions and loops are the templates'.
local arithmetic = require "arithmetic"
local caches = require "plan.caches"
local compat = require "base.compat"
local dtype = require "dtype"
local features = require "attention"
local graph = require "plan.graph"
local lifetimes = require "plan.lifetimes"
local packed = require "plan.packed"
local path = require "attention.path"
local tiles = require "plan.tiles"

local plan = {}

-- Products a running sum takes before it joins the total: the shorter, the smaller the rounding error, and each halving
-- costs a hundredth of the time.
local VALUE_KEYS = 128
local MAX_SUM = 128
local FEW_KEYS_SUM = 64 -- where a row may see one key or a few: attention averages no errors of values away
local NARROW_SUM = 80   -- of narrow models, whose inputs are at most NARROW wide: there other engines sum shortly too
local NARROW, FEW_KEYS = 256, 16
local GROUP_ROWS = 256  -- rows of a batch that go through the layer together, so that what passes between stages
                        -- stays in cache
local PANELS_BYTES = 192 * 1024 -- of weights that the rows of a group pass by at a time: they stay in a small L2
local SLICE_BYTES = 128 * 1024  -- of a panel that is cut in depth
local SCORES_BYTES = 300 * 1024 -- of a block of rows: they stay in a small L2
local NEAR_BYTES = 128 * 1024   -- of rows that are in L2 without being asked for
local ROW_FACTS = 8              -- bytes after the elements of a row of integers: its scale and its offset
local MAX_BLOCK_TILES = 6       -- tiles of rows that pass by a panel of keys or values while it is in L1
local LINE_FLOATS = caches.line_floats
local MAX_NV = 6      -- vectors in a panel
local MAX_KEY_NV = 2  -- in a panel of keys: what a short sequence wastes is at most a panel

local function round_up(n, step)
  return math.ceil(n / step) * step
end

local function joined(a, b)
  local list = {}
  for _, item in ipairs(a) do list[#list + 1] = item end
  for _, item in ipairs(b) do list[#list + 1] = item end
  return list
end

-- How `k` products are split into running sums of nearly equal length: { { count, length }, ... }.
local function partial_sums(k, most)
  local blocks = math.ceil(k / most)
  local short = math.floor(k / blocks)
  local longer = k - short * blocks
  local sums = {}
  if longer > 0 then sums[#sums + 1] = { count = longer, length = short + 1 } end
  sums[#sums + 1] = { count = blocks - longer, length = short }
  return sums
end

-- The most keys a query may see.
local function most_keys(s)
  return s.cache or s.kv_seq_len.max
end

-- The one name of a kernel: of the model, the type of the weights or rows it reads, the operation, the tile, the set.
local function symbol(p, type_name, op, mr, nr)
  return ("%s_%s_%s_%dx%d__%s"):format(p.spec.name, type_name, op, mr, nr, p.isa.name)
end

-- -- Families of kernels --------------------------------------------------------------------------------------------

-- A family is one operation at every height 1..mr and every width its covers hold; family.kernels lists them in order.
-- type_name: of what it reads beside rows of floats.
local function family(p, op, what, candidates, type_name)
  local best = candidates[1]
  local f = {
    op = op, what = what, dtype = type_name, mr = best.mr, nv = best.nv,
    widths = tiles.cover(best.n, best.nv), kernels = {}, registers = tiles.registers(best.mr, best.nv),
    why = "weighed " .. tiles.describe(candidates, p.isa.width),
  }
  f.file = ("%s_%s.c"):format(p.prefix, op)
  f.name = ("%s_%s_%s__%s"):format(p.spec.name, type_name, op, p.isa.name)
  function f.symbol(mr, nv) return symbol(p, type_name, op, mr, nv * p.isa.width) end
  return f
end

-- Appends kernels of every height and the given widths in vectors.
local function add_kernels(f, widths)
  for _, nv in ipairs(widths) do
    for mr = 1, f.mr do
      f.kernels[#f.kernels + 1] = { mr = mr, nv = nv, np = 1, symbol = f.symbol(mr, nv) }
    end
  end
end

-- Appends kernels for so few rows that one panel leaves multiply-add units idle: they pass several panels at a time.
-- f.wide: by height, how many.
local function add_wide_kernels(f, set)
  f.wide = {}
  for mr = 1, f.mr do
    local np = math.min(tiles.panels_at_once(set, mr, f.nv), f.full)
    f.wide[mr] = math.max(np, 1)
    if np > 1 then
      f.kernels[#f.kernels + 1] = { mr = mr, nv = f.nv, np = np, symbol = f.symbol(mr, f.nv * np) }
    end
  end
end

-- Appends kernels for so few rows that sums of all columns stay in registers: what the rows pass by is read in the
-- order in which it lies in memory, as fast as memory gives it. f.whole: the greatest such height, 0 for none.
local function add_whole_kernels(f, set)
  local nv = 0
  for _, width in ipairs(f.widths) do nv = nv + width end
  f.whole, f.whole_nv = #f.widths > 1 and math.min(f.mr, math.floor(set.max_accumulators / nv)) or 0, nv
  for mr = 1, f.whole do
    f.kernels[#f.kernels + 1] = { mr = mr, nv = nv, np = 1, symbol = f.symbol(mr, nv) }
  end
end

-- Appends the last panel's kernels of every height, which end in the middle of a vector.
local function add_tail_kernels(f, p)
  local nv = f.widths[#f.widths]
  for mr = 1, f.mr do
    f.kernels[#f.kernels + 1] = {
      mr = mr, nv = nv, np = 1, tail = f.tail, symbol = symbol(p, f.dtype, f.op .. "_tail", mr, nv * p.isa.width),
    }
  end
end

-- How many lines the kernels prefetch of streams[1] and streams[2]: sums take turns, the last one with streams[2],
-- and a turn of the loop prefetches half of what it reads of its panel. f.lowest_asking: the least height of a tile
-- that asks. A lower one is alone: its panels are all that is read, in a stream the caches follow. A sum without a turn
-- of its loop has none to ask in.
local function plan_prefetches(f, p)
  local unrolled = p.spec.unroll * f.X.unit
  f.lines = math.max(1, math.floor(p.spec.unroll * f.nv * p.isa.width / LINE_FLOATS / 2))
  f.lowest_asking = f.sums[1].length >= unrolled and math.ceil(f.mr / 2) or f.mr + 1
  f.first_stream = f.n_sums % 2
  f.prefetches = { 0, 0 }
  local turn = f.first_stream
  for _, sum in ipairs(f.sums) do
    for _ = 1, sum.count do
      f.prefetches[turn + 1] = f.prefetches[turn + 1] + math.floor(sum.length / unrolled) * f.lines
      turn = 1 - turn
    end
  end
end

-- Running sums down a panel that several tiles of rows use in one pass (f.kc_blocks, of f.n_sums): all; or where a
-- panel is so deep that it, the next one and the rows would not stay in a small L2 together, those of a slice of it.
-- f.panels_per_pass: panels that such rows use before the next rows do.
local function plan_slices(f, p)
  f.n_sums = 0
  for _, sum in ipairs(f.sums) do f.n_sums = f.n_sums + sum.count end
  local width = f.nv * p.isa.width
  local row_bytes = width * f.X.panel.bytes
  local slices = math.ceil(f.k * row_bytes / SLICE_BYTES)
  local is_even = #f.sums == 1 and #tiles.distinct(f.widths) == 1 and f.tail == 0 and not f.X.is_integer
  f.kc_blocks = is_even and slices > 1 and math.ceil(f.n_sums / slices) or f.n_sums
  local panels = math.floor(PANELS_BYTES / ((1 + f.k) * row_bytes)) -- a row more for their biases
  f.panels_per_pass = f.kc_blocks < f.n_sums and 1 or math.max(1, math.min(#f.widths, panels))
end

-- Rows of elements that are not floats, which are made of a product's rows before it: width: those of a row; room: with
-- what fills its last vector; then its scale and its offset. f.lda: elements from a row to the next, an odd number of
-- lines apart, so that rows of a tile share no cache set.
local function plan_rows(f, p)
  local bytes = f.X.row.bytes
  local room = round_up(f.k, math.max(p.isa.width, arithmetic.step(f.X.name)))
  local lines = math.ceil((room * bytes + ROW_FACTS) / caches.line_bytes)
  lines = lines + 1 - lines % 2
  f.rows = { width = f.depth, room = room, stride = f.lda, bytes = lines * caches.line_bytes }
  f.lda = f.rows.bytes / bytes
end

-- A product's arithmetic (f.X) and what follows from it: running sums down a panel, and bytes: of an element of its
-- rows, of a full panel, of its first running sum, and of all panels.
local function plan_arithmetic(f, p, name)
  local step, width, vectors, n_sums = arithmetic.step(name), f.nv * p.isa.width, 0, 0
  f.X, f.depth, f.k = arithmetic.vocabulary(name, p.isa, p.weights_dtype), f.k, arithmetic.padded(name, f.k)
  f.sums = partial_sums(f.k / step, (arithmetic.get(name).sum or p.max_sum) / step)
  for _, sum in ipairs(f.sums) do
    sum.length, n_sums = sum.length * step, n_sums + sum.count
  end
  for _, nv in ipairs(f.widths) do vectors = vectors + nv end
  local element, rows = f.X.panel.bytes, f.k + n_sums * f.X.header
  f.row_bytes, f.panel_bytes = f.X.row.bytes, rows * width * element
  f.sum_bytes = (f.sums[1].length + f.X.header) * width * element
  f.bytes, f.panel_rows = rows * vectors * p.isa.width * element, rows
  if f.X.is_integer then plan_rows(f, p) end
end

-- Rows of [k] times packed panels [k][nr], plus a bias. Of the last panel's last vector only `tail` floats are stored
-- (0: all).
local function gemm(p, op, what, dims)
  local name = dims.arithmetic or p.arithmetic
  local f = family(p, op, what, tiles.candidates(p.isa, dims.vectors, MAX_NV),
    name == "f32" and p.weights_dtype or name)
  f.k, f.lda, f.ldc, f.tail = dims.k, dims.lda, dims.ldc, dims.tail
  plan_arithmetic(f, p, dims.arithmetic or p.arithmetic)
  plan_slices(f, p)
  local whole = {}
  for i, nv in ipairs(f.widths) do
    if i < #f.widths or f.tail == 0 then whole[#whole + 1] = nv end
  end
  add_kernels(f, tiles.distinct(whole))
  f.full = 0
  for _, nv in ipairs(whole) do f.full = f.full + (nv == f.nv and 1 or 0) end
  add_wide_kernels(f, p.isa)
  plan_prefetches(f, p)
  if f.tail > 0 then add_tail_kernels(f, p) end
  return f
end

-- The families that project (p.projects): one for each width of input; p.project_of says which serves q, k and v.
local function plan_inputs(p)
  local s, of_width = p.spec, {}
  p.projects, p.project_of = {}, {}
  if not s.projects.q then return end
  local inputs = {
    { "q", s.d_model, "project", "x -> q, k, v: rows times a head's panels" },
    { "k", s.k_dim, "project_k", "key -> k: rows times a head's panels" },
    { "v", s.v_dim, "project_v", "value -> v: rows times a head's panels" },
  }
  for _, input in ipairs(inputs) do
    local name, n_in, op, what = compat.unpack(input)
    if not of_width[n_in] then
      of_width[n_in] = gemm(p, op, what, {
        vectors = p.d_head_pad / p.isa.width, k = s.shared_heads and s.d_head or n_in, lda = n_in, ldc = p.head_stride,
        tail = 0,
      })
      p.projects[#p.projects + 1] = of_width[n_in]
    end
    p.project_of[name] = of_width[n_in]
  end
end

-- How heads become the output (p.finish): "project", or where no linear follows, "narrow" to copy heads side by side
-- without their padding, "in_place" where they have none and are written there at once. Where heads go out as heads,
-- "by_head" copies them one by one, and "by_head_in_place" needs not.
local function plan_output(p)
  local s, vw = p.spec, p.isa.width
  local fits = p.d_v_pad == s.d_v
  if s.kind == "sdpa" then
    p.finish = fits and "by_head_in_place" or "by_head"
    p.concat = fits and s.d_v or p.concat
  elseif s.projects.o then
    p.finish = "project"
    p.out = gemm(p, "out", "heads side by side -> output", {
      vectors = math.ceil(s.d_out / vw), k = p.concat, lda = p.concat, ldc = s.d_out, tail = s.d_out % vw,
    })
  else
    p.finish = fits and "in_place" or "narrow"
  end
end

-- The same for one row where a value is infinite or NaN: keys of weight zero are skipped.
local function plan_skip_zero(p, candidates)
  local f = family(p, "value_skip_zero", "softmax weights times v, without the keys whose weight is zero", candidates,
    "f32")
  f.file, f.mr, f.skips = p.value.file, 1, true -- one operation, one file
  add_kernels(f, tiles.distinct(f.widths))
  p.value_skip_zero = f
end

-- Scores and values share their row blocks, so their tiles are chosen together.
local function plan_attention(p)
  local widest = math.ceil(most_keys(p.spec) / p.isa.width)
  local for_scores, for_values = tiles.candidates_together(
    p.isa, widest, MAX_KEY_NV, p.d_v_pad / p.isa.width, MAX_NV)

  p.score = family(p, "score", "q k^T: a tile of scores", for_scores, "f32")
  p.score.k, p.score.lda = p.spec.d_head, p.head_stride
  add_kernels(p.score, { p.score.nv })
  p.key_panel = p.score.nv * p.isa.width

  p.score_masked = family(p, "score_masked", "scores of a tile some of whose keys are out of range", for_scores,
    "f32")
  p.score_masked.file = p.score.file -- one operation, one file
  local narrower = {}
  for nv = p.score.nv, 1, -1 do narrower[#narrower + 1] = nv end
  add_kernels(p.score_masked, narrower)

  p.value = family(p, "value", "softmax weights times v", for_values, "f32")
  add_kernels(p.value, tiles.distinct(p.value.widths))
  if p.spec.nonfinite_safe then plan_skip_zero(p, for_values) end
  if p.spec.cache then add_whole_kernels(p.value, p.isa) end
end

-- -- Memory -----------------------------------------------------------------------------------------------------------

-- The packed weights (plan/packed.lua): of each key head the panels of k, v and of the q of its query heads, then the
-- biases of all heads in that order, then what else there is.
local function plan_packed(p)
  local s, layout = p.spec, packed.new()
  local of = p.project_of
  local n_q, n_kv = s.n_heads, s.n_kv_heads
  if s.shared_heads then n_q, n_kv = 1, 1 end
  local function add(name, floats) packed.add(layout, name, floats, "f32") end
  if s.projects.q then
    packed.add_bytes(layout, "heads", n_kv * (of.k.bytes + of.v.bytes) + n_q * of.q.bytes, of.q.dtype)
    add("heads_bias", (2 * n_kv + n_q) * p.d_head_pad)
  end
  if p.out then packed.add_linear(layout, "o", p.out.bytes, round_up(s.d_out, p.isa.width), p.out.dtype) end
  if s.vocab_size then add("embedding", s.vocab_size * s.d_model) end
  for _, name in ipairs(s.add_bias_kv and { "bias_k", "bias_v" } or {}) do add(name, s.n_kv_heads * p.d_head_pad) end
  for _, feature in ipairs(features) do
    if feature.packed then feature.packed(s, add, p.d_head_pad) end
  end
  p.packed = layout
end

-- The operations of the layer and their tensors (attention/path.lua), each operation a step of its own; p.buffers: the
-- tensors in scratch, in order. They share no memory, as units of work are at different operations at one time.
local function plan_graph(p)
  p.graph, p.buffers = graph.new(), {}
  path.tensors(p.spec, p, function(tensor) graph.add_tensor(p.graph, tensor) end)
  path.operations(p.spec, p, function(op)
    graph.add(p.graph, "layer", op)
    local list = p.graph.operations
    list[#list].step = #list
  end)
  graph.check(p.graph)
  lifetimes.find(p.graph, #p.graph.operations, false)
  for _, tensor in ipairs(p.graph.tensors) do p.buffers[#p.buffers + 1] = tensor.owner and tensor or nil end
end

-- Sizes of the scratch buffers.
local function plan_scratch(p)
  local s = p.spec
  -- 16 floats off a multiple of 64: rows a power of two apart would share the cache's sets.
  p.scores_stride = round_up(round_up(most_keys(s), p.key_panel), 64) + 16
  p.gathers = path.gathers(s)
  local tile_bytes = p.score.mr * p.scores_stride * 4
  p.block_tiles = math.max(1, math.min(MAX_BLOCK_TILES, math.floor(SCORES_BYTES / tile_bytes)))
  p.mean_columns = round_up(s.kv_seq_len.max + s.extra_keys, LINE_FLOATS)
end

-- Where scores are multiplied by scale * log2 e on the way from queries to powers of two; nil is a one that costs
-- nothing. The weights of q take as much as they may: all of it, unless a feature works on scores in natural units
-- (spec.needs_natural_scores) or on q as the layer defines it (spec.needs_unscaled_q).
local function plan_factors(s)
  local scale, log2e = s.scale_factor, 1 / math.log(2)
  local natural = s.needs_natural_scores
  local factors = { q = natural and scale or scale * log2e, softmax = natural and log2e or nil }
  if s.needs_unscaled_q then
    factors = { q = 1, row = natural and scale or nil, softmax = natural and log2e or scale * log2e }
  end
  local unit = log2e / (factors.softmax or 1) -- what a score of 1 is as softmax finds it
  function factors.to_units(x) return x * unit end
  function factors.per_unit(x) return x / unit end
  return factors
end

-- spec.fill in the units of a row of scores: softmax multiplies them, if at all, to get powers of two.
local function plan_fill(p)
  return p.spec.fill and p.spec.fill / math.log(2) / (p.factors.softmax or 1)
end

local function longest_sum(s)
  if s.causal or s.window or s.nonfinite_safe or most_keys(s) <= FEW_KEYS then return FEW_KEYS_SUM end
  return s.d_model <= NARROW and NARROW_SUM or MAX_SUM
end

-- What every plan has, of a layer or of a stack of them.
function plan.start(spec, set)
  return {
    spec = spec, isa = set, weights_dtype = spec.weights_dtype, arithmetic = spec.dtype, max_sum = longest_sum(spec), near_bytes = NEAR_BYTES,
    prefix = spec.name .. "__" .. set.name,
  }
end

-- A product of rows with packed weights, for the plan of a stack.
plan.product = gemm

-- The plan of one attention layer for one instruction set.
function plan.make(spec, set)
  local p = plan.start(spec, set)
  p.group_rows, p.value_keys, p.factors = GROUP_ROWS, VALUE_KEYS, plan_factors(spec)
  p.fill = plan_fill(p)
  p.d_head_pad = round_up(spec.d_head, set.width)
  p.d_v_pad = round_up(spec.d_v, set.width)
  p.concat = spec.n_heads * p.d_v_pad
  -- An odd number of lines: rows an even number apart would share a few of the cache's sets.
  local lines = math.ceil(math.max(p.d_head_pad, p.d_v_pad) / LINE_FLOATS)
  p.head_stride = (lines + 1 - lines % 2) * LINE_FLOATS
  -- A cache's rows follow each other, as they come from memory further away than sets matter.
  p.value_stride = spec.cache and p.d_head_pad or p.head_stride
  plan_inputs(p)
  plan_output(p)
  plan_attention(p)
  plan_packed(p)
  plan_scratch(p)
  plan_graph(p)
  p.products = joined(p.projects, { p.out }) -- rows times packed weights
  p.families = joined(p.products, { p.score, p.score_masked, p.value, p.value_skip_zero })
  return p
end

return plan
