-- plan/init.lua: spec + instruction set -> kernels with their tiles, layouts and sizes, all as ordered tables.
-- Holds no C text: expressions and loops are the templates'.
local caches = require "plan.caches"
local choices = require "plan.choices"
local compat = require "base.compat"
local elementary = require "base.elementary"
local families = require "plan.family"
local fast = require "plan.fast"
local features = require "attention"
local formats = require "formats"
local graph = require "plan.graph"
local kept = require "formats.vocabulary.kept"
local kernels = require "plan.kernels"
local lifetimes = require "plan.lifetimes"
local linear = require "plan.linear"
local matrix = require "plan.matrix"
local multiply = require "formats.vocabulary.multiplied"
local packed = require "plan.packed"
local packing = require "plan.packing"
local path = require "attention.path"
local shape = require "plan.shape"
local tiles = require "plan.tiles"
local tuning = require "plan.tuning"

local plan = {}

-- Products a running sum takes before it joins the total: the shorter, the smaller the rounding error, and each halving
-- costs a hundredth of the time.
local VALUE_KEYS = 128
local MAX_SUM = 128
local FEW_KEYS_SUM = 64 -- where a row may see one key or a few: attention averages no errors of values away
local NARROW_SUM = 80   -- of narrow models, whose inputs are at most NARROW wide: there other engines sum shortly too
local NARROW, FEW_KEYS = 256, 16
-- Rows of a batch that go through the layer together, so that what passes between stages stays in cache: of fast
-- products fewer, as sums of rows are two to four times as large as the rows.
local GROUP_ROWS, FAST_GROUP_ROWS = 256, 128
local SCORES_BYTES = 300 * 1024 -- of a block of rows: they stay in a small L2
local NEAR_BYTES = 128 * 1024   -- of rows that are in L2 without being asked for
local BLOCK_KIB = 512           -- of rows that stay in L2 while panels pass
local MAX_BLOCK_TILES = 6       -- tiles of rows that pass by a panel of keys or values while it is in L1
local MATRIX_TILES = 4         -- the same of those by matrix registers: what a block has of each row is on the stack
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

-- The most keys a query may see.
local function most_keys(s)
  return s.cache or s.kv_seq_len.max
end

-- Appends kernels for so few rows that sums of all columns stay in registers: what the rows pass by is read in the
-- order in which it lies in memory, as fast as memory gives it. f.whole: the greatest such height, 0 for none.
local function add_whole_kernels(f, set)
  local nv = 0
  for _, width in ipairs(f.widths) do nv = nv + width end
  f.whole, f.whole_nv = #f.widths > 1 and math.min(f.mr, math.floor(set.max_accumulators / nv)) or 0, nv
  for mr = 1, f.whole do
    families.add_kernel(f, { mr = mr, nv = nv })
  end
end

-- The families that project (p.projects): one for each width and arithmetic of an input; p.project_of says which serves
-- q, k and v.
local function plan_inputs(p)
  local s, made = p.spec, {}
  p.projects, p.project_of = {}, {}
  if not s.projects.q then return end
  local inputs = {
    { "q", s.d_model, "project", "x -> q, k, v: rows times a head's panels" },
    { "k", s.k_dim, "project_k", "key -> k: rows times a head's panels" },
    { "v", s.v_dim, "project_v", "value -> v: rows times a head's panels" },
  }
  for _, input in ipairs(inputs) do
    local name, n_in, op, what = compat.unpack(input)
    local levels = s.levels_of and s.levels_of[name]
    local key = n_in .. " " .. p.arithmetic_of[name]
    if not made[key] then
      made[key] = choices(p, s.choices_of[name], op, what, function(numbers)
        return { arithmetic = numbers, vectors = p.d_head_pad / p.isa.width, ldc = p.head_stride, tail = 0,
          k = s.shared_heads and s.d_head or n_in, lda = n_in, levels = levels,
          parts = s.shared_heads and math.floor(n_in / s.d_head) or nil }
      end)
      p.projects = joined(p.projects, made[key].choices)
    end
    p.project_of[name] = made[key]
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
    p.out = choices(p, s.choices_of.o, "out", "heads side by side -> output", function(name)
      local joins = multiply.joins_heads(name, p.weights_dtype)
      return { arithmetic = name, vectors = math.ceil(s.d_out / vw), lda = p.concat, ldc = s.d_out, tail = s.d_out % vw,
        levels = s.levels_of and s.levels_of.o,
        -- Some weights leave zeros between heads out.
        k = joins and s.n_heads * s.d_v or p.concat,
        heads = not joins and { count = s.n_heads, width = s.d_v, padded = p.d_v_pad } or nil }
    end)
  else
    p.finish = fits and "in_place" or "narrow"
  end
end

-- The same for one row where a value is infinite or NaN: keys of weight zero are skipped.
local function plan_skip_zero(p, candidates)
  local f = families.new(p, "value_skip_zero", "softmax weights times v, without the keys whose weight is zero",
    candidates, p.cache_dtype)
  f.mr, f.does = 1, "skips"
  families.take_group(f, p.value.group)
  families.add_kernels(f, tiles.distinct(f.widths))
  p.value_skip_zero = f
end

-- How a cache keeps keys and values: elements before a panel's keys, for what belongs to each; those from a panel to
-- the next; those of a key, zeros after its dimensions; how many of depth, and how many values, lie side by side in a
-- lane; and whether sums of a key's elements are kept.
local function plan_cached(p, A, cached)
  local steps = cached.steps and math.floor(cached.steps.bytes / cached.bytes) or 0
  if A.is_narrow and A.reads_cache then
    p.cached_as = { header = A.header, panel = A.panel, depth = A.depth, unit = A.X.unit,
      has_sums = A.X.has_offset or false }
    return
  end
  local panel = (p.spec.d_head + steps) * p.key_panel
  p.cached_as = { header = steps, panel = steps > 0 and round_up(panel, steps) or panel, depth = p.spec.d_head,
    unit = 1, has_sums = false }
end

-- The arithmetic of attention's products and what follows from it: elements of depth of a row of queries and of a key,
-- with what fills whole lanes; those between rows of queries; and of a panel of keys, with what stands before the keys.
-- An odd number of lines lies between rows, as between those of heads. reads_cache: products read keys and values where
-- a cache keeps them; rounds_cache: each call makes them of what a cache keeps; scales: the type of what a step of a
-- key is worth.
local function plan_attended(p)
  local name, cached = p.spec.attends_in, kept.vocabulary(p.cache_dtype, p.isa)
  local X, depth = multiply.vocabulary(name, p.isa, p.cache_dtype), multiply.padded(name, p.spec.d_head)
  local feeds = p.spec.cache and formats.reads_cached(name, p.spec.cache_dtype)
  local reads_cache = p.spec.cache and not X.is_narrow or feeds or false
  local header = feeds and math.floor((cached.steps.bytes + (X.has_offset and 4 or 0)) / X.panel.bytes) or X.header
  local room = round_up(depth, p.isa.width)
  local lines = math.ceil((room * X.row.bytes + (X.is_offset and 8 or X.is_integer and 4 or 0)) / caches.line_bytes)
  local query_bytes = (lines + 1 - lines % 2) * caches.line_bytes
  local panel = (depth + header) * p.key_panel
  p.attended = {
    X = X, is_narrow = X.is_narrow or false, weighs_all = X.is_narrow or false, reads_cache = reads_cache,
    rounds_cache = p.spec.cache and not reads_cache or false, depth = depth, room = room, type = X.panel.type,
    streams = reads_cache and not cached.is_float, -- more than a core reads ahead by itself
    scales = feeds and cached.steps or kept.vocabulary("f32", p.isa), header = header, query_bytes = query_bytes,
    query_stride = X.is_narrow and query_bytes / X.row.bytes or p.head_stride,
    value_stride = reads_cache and p.value_stride or p.head_stride,
    panel = X.steps and round_up(panel, X.header) or panel,
  }
  plan_cached(p, p.attended, cached)
end

-- What the code of attention's kernels depends on besides tiles, in scores and values.
local function attention_identity(p, own)
  local s, of = p.spec, p.attended
  return joined({ s.attends_in, p.cache_dtype or false, s.unroll, p.scores_stride, of.streams or false }, own)
end

-- Takes the groups of kernels of one of these products. own: what else their code depends on; facts: what they say of
-- themselves.
local function take_groups(f, p, name, template, own, facts)
  facts.template, facts.X = template .. ".c.lt", p.attended.X
  facts.of_any_height = kernels.takes_height(p, f.matrix ~= nil)
  own[#own + 1] = facts.of_any_height
  matrix.take_group(f, p, "matrix_" .. name, template .. "_matrix.c.lt", attention_identity(p, own), facts)
  families.take_group(f, kernels.group(p, name, attention_identity(p, own), facts))
  for _, group in ipairs({ f.group, f.matrix and f.matrix.group }) do
    group.most_tiles = math.max(group.most_tiles or 0, p.block_tiles)
  end
end

-- The kernels of scores. read: the type of keys and values.
local function take_score_groups(p, read)
  local s, of = p.spec, p.attended
  take_groups(p.score, p, ("%s_score_d%d_s%d"):format(read, s.d_head, p.scores_stride), "attention/score", {
    of.depth, of.query_stride, of.room, of.header, of.scales.bytes, of.panel, p.key_panel }, {
      declarations = "attention/score_kernels", what = "queries times keys", row_type = of.X.row.type,
      key_type = of.type })
end

-- The same of values.
local function take_value_groups(p, read)
  local s, ranges = p.spec, shape.of(p.spec)
  take_groups(p.value, p, ("%s_value_d%d_s%d"):format(read, s.d_v, p.scores_stride), "attention/value", {
    p.attended.value_stride, p.concat, p.value_keys, ranges.begins_late, ranges.key_ranges_differ }, {
      declarations = "attention/value_kernels", what = "softmax weights times values", value_type = p.attended.type,
      begins_late = ranges.begins_late })
end

-- Keys that products of softmax weights and values take at a time: rows of weights are zeros after the last key up to
-- as many, and there is memory for as many values.
local function keys_together(p)
  return p.value.matrix and p.value.matrix.depth or p.isa.width
end

-- Rows of scores, and how many tiles of them a block has.
local function plan_score_rows(p)
  -- Narrow weights take half of a running sum's floats, and their step the next one. 16 floats off a multiple of 64:
  -- rows a power of two apart would share the cache's sets.
  local columns = math.max(most_keys(p.spec), p.spec.score_columns or 0)
  p.scores_stride = round_up(round_up(columns, p.key_panel), math.floor(p.value_keys / 2)) + 16
  local tile_bytes = p.score.mr * p.scores_stride * 4
  local most, by_wisdom = MAX_BLOCK_TILES, 2 * MAX_BLOCK_TILES
  if p.score.matrix then most, by_wisdom = MATRIX_TILES, MATRIX_TILES end
  local tiles_of_block = math.max(1, math.min(most, math.floor(SCORES_BYTES / tile_bytes)))
  p.block_tiles = tuning.value(p, "attention.tiles", tiles_of_block, { least = 1, most = by_wisdom,
    candidates = tuning.doublings(tiles_of_block) })
end

-- Scores and values share their row blocks, so their tiles are chosen together.
local function plan_attention(p)
  local read = p.spec.attends_in == "f32" and p.cache_dtype or p.spec.attends_in
  local widest = math.ceil(most_keys(p.spec) / p.isa.width)
  local most_nv = matrix.most_vectors(multiply.vocabulary(p.spec.attends_in, p.isa, p.cache_dtype)) or MAX_NV
  local for_scores, for_values = tiles.candidates_together(
    p.isa, widest, MAX_KEY_NV, p.d_v_pad / p.isa.width, most_nv)

  p.score = families.new(p, "score", "q k^T: a tile of scores", for_scores, read)
  p.score.k, p.score.lda = p.spec.d_head, p.head_stride
  p.value = families.new(p, "value", "softmax weights times v", for_values, read)
  families.tune_rows(p, { p.score, p.value }, "attention.rows",
    math.min(tiles.tallest(p.isa, p.score.nv), tiles.tallest(p.isa, p.value.nv)))
  p.key_panel = p.score.nv * p.isa.width
  plan_attended(p)
  matrix.plan_attention(p)
  p.keys_together = keys_together(p)
  plan_score_rows(p)
  take_score_groups(p, read)
  take_value_groups(p, read)
  local widths = {} -- of a panel, and of the vectors of it that a last panel may hold
  for nv = p.score.nv, 1, -1 do widths[#widths + 1] = nv end
  families.add_kernels(p.score, widths)
  families.add_kernels(p.value, tiles.distinct(p.value.widths))
  if p.spec.nonfinite_safe and p.spec.attends_in == "f32" then plan_skip_zero(p, for_values) end
  if p.spec.cache then add_whole_kernels(p.value, p.isa) end
end

-- -- Memory -----------------------------------------------------------------------------------------------------------

-- The packed weights (plan/packed.lua): of each key head the panels of k, v and of the q of its query heads, then the
-- biases of all heads in that order, then what else there is.
local function plan_packed(p)
  local s, layout, has = p.spec, packed.new(), shape.has_role(p.spec)
  local of = p.project_of
  local n_q, n_kv = s.n_heads, s.n_kv_heads
  if s.shared_heads then n_q, n_kv = 1, 1 end
  local function add(name, count, fills, type_name) packed.add(layout, name, count, type_name or "f32", fills) end
  if s.projects.q then
    for i, q in ipairs(of.q.choices) do
      local k, v = of.k.choices[i], of.v.choices[i]
      packed.add_bytes(layout, "heads" .. q.suffix, n_kv * (k.bytes + v.bytes) + n_q * q.bytes,
        k.dtype == q.dtype and v.dtype == q.dtype and q.dtype or nil, packing.heads(p, i, has))
    end
    add("heads_bias", (2 * n_kv + n_q) * p.d_head_pad)
  end
  if p.out then
    packed.add_product(layout, "o", p.out, round_up(s.d_out, p.isa.width), function(f)
      return { packing.out(p, f, has) }
    end)
  end
  for _, feature in ipairs(features) do
    if feature.packed then feature.packed(s, add, p.d_head_pad, p) end
  end
  p.packed = layout
end

-- The linears, by name; fill: which of the parts of a key head is theirs (packing.heads).
local function plan_linears(p)
  local s, role_at = p.spec, shape.of(p.spec).role_at
  local per_kv = s.n_heads / s.n_kv_heads
  for i, name in ipairs(s.projects.q and { "k", "v", "q" } or {}) do
    linear.add(p, p.packed, { name = name, role = name, product = p.project_of[name], packed = "heads", fill = i,
      roles = { role_at(name .. "_weight") }, inputs = s.d_head, per_run = name == "q" and per_kv or 1 })
  end
  if p.out then linear.add(p, p.packed, { name = "o", role = "o", product = p.out, packed = "o",
    roles = { role_at("o_weight") } }) end
end

-- The operations of the layer and their tensors (attention/path.lua), each operation a step of its own; p.buffers: the
-- tensors in scratch, in order. They share no memory, as units of work are at different operations at one time.
local function plan_graph(p)
  p.graph, p.buffers = graph.new(), {}
  p.products_room = p.spec.matmul_levels and fast.room(p.isa, p.spec.matmul_levels)
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
  p.gathers = path.gathers(s)
  p.mean_columns = round_up(s.kv_seq_len.max + s.extra_keys, LINE_FLOATS)
end

-- Where scores are multiplied by scale * log2 e on the way from queries to powers of two; nil is a one that costs
-- nothing. The weights of q take as much as they may: all of it, unless a feature works on scores in natural units
-- (spec.needs_natural_scores) or on q as the layer defines it (spec.needs_unscaled_q).
local function plan_factors(s)
  local scale, log2e = s.scale_factor, 1 / elementary.ln2
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
  return p.spec.fill and p.spec.fill / elementary.ln2 / (p.factors.softmax or 1)
end

local function longest_sum(s)
  if s.causal or s.window or s.nonfinite_safe or most_keys(s) <= FEW_KEYS then return FEW_KEYS_SUM end
  return s.d_model <= NARROW and NARROW_SUM or MAX_SUM
end

-- What every plan has, of a layer or of a stack of them. of_model: the kernels of the model that it is a part of.
function plan.start(spec, set, of_model)
  local p = {
    spec = spec, isa = set, weights_dtype = formats.of_weights(spec.weights_dtype).name,
    arithmetic_of = spec.arithmetic_of,
    max_sum = longest_sum(spec), near_bytes = NEAR_BYTES, table_dtype = formats.of_rows(spec.embedding_dtype).name,
    prefix = spec.name .. "__" .. set.name, kernels = of_model or kernels.new(spec.name, set, spec.wisdom),
    linears = {},
  }
  p.block_bytes = 1024 * tuning.value(p, "multiply.kib", BLOCK_KIB, { least = 1, most = 16384,
    candidates = { 16, 128, 256, 1024, 2048 } }) -- 16: in the L1 cache
  return p
end

-- A product of rows with packed weights in each arithmetic that it may have, for the plan of a stack.
plan.product = choices

-- Keys of a running sum of softmax weights times values: of integers as many as of their other products.
local function plan_value_keys(s)
  local A = formats.get(s.attends_in).product
  return A.largest_row and A.sum or VALUE_KEYS
end

-- The plan of one attention layer for one instruction set; of_model: as plan.start has it.
function plan.make(spec, set, of_model)
  local p = plan.start(spec, set, of_model)
  local rows = spec.matmul_levels and FAST_GROUP_ROWS or GROUP_ROWS
  p.group_rows = tuning.value(p, "group.rows", rows, { least = 16, most = 1024, candidates = tuning.doublings(rows) })
  p.value_keys, p.factors = plan_value_keys(spec), plan_factors(spec)
  p.fill, p.cache_dtype = plan_fill(p), spec.cache_dtype and formats.of_rows(spec.cache_dtype).name
  p.d_head_pad, p.d_v_pad = round_up(spec.d_head, set.width), round_up(spec.d_v, set.width)
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
  plan_linears(p)
  plan_scratch(p)
  p.products = joined(p.projects, p.out and p.out.choices or {}) -- rows times packed weights
  plan_graph(p)
  p.families = joined(p.products, { p.score, p.value, p.value_skip_zero })
  return p
end

return plan
