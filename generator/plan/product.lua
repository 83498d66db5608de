-- plan/product.lua: a product of rows with packed weights: its arithmetic, its running sums, what lies where, and which
-- kernels it takes. Knows no linear by name.
local bilinear = require "base.bilinear"
local caches = require "plan.caches"
local family = require "plan.family"
local formats = require "formats"
local kept = require "formats.vocabulary.kept"
local multiply = require "formats.vocabulary.multiplied"
local kernels = require "plan.kernels"
local matrix = require "plan.matrix"
local tiles = require "plan.tiles"
local tuning = require "plan.tuning"

local PANELS_BYTES = 192 * 1024 -- of weights that all rows of a group are multiplied by before the next: L2 holds them
local SLICE_BYTES = 128 * 1024  -- of a panel that is cut in depth
local ROW_FACTS = 8             -- bytes after the elements of a row of integers for each running sum: scale and offset
local WIDEST = 16               -- floats of the widest vector of any set: heads of whole ones are padded on none
local TILES_ASKING = 6          -- of rows of bytes, which together prefetch all of the next panel
local GROUPS_TOGETHER = 4       -- vectors whose weights are in groups: the facts of so many stay in registers

local function round_up(n, step)
  return math.ceil(n / step) * step
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

-- Whether memory gives a panel's weights no faster than units multiply them. Bytes in groups and digits have more to do
-- for each line. Models of several layers have more narrow weights than caches hold, and one row has little to do for
-- each.
local function is_late(f, p, mr)
  return f.X.of_bytes or f.is_digits or mr == 1 and f.X.is_narrow and (p.spec.stack or p.spec.is_part)
end

-- Panels that a kernel of few rows passes at a time: so many that units are busy, or one where memory is late, which
-- gives up to a third more bytes a second of one panel than of four that lie apart (measured on Zen 4).
local function panels_at_once(f, p, set, mr)
  return is_late(f, p, mr) and 1 or math.min(tiles.panels_at_once(p.isa, mr, f.nv),
    math.floor(set.max_accumulators / (mr * f.nv)), f.full)
end

-- How many panels so few rows that one leaves multiply-add units idle pass at a time: by height, f.wide. set: what
-- register tiles are chosen by.
local function plan_wide(f, p, set)
  f.wide = {}
  for mr = 1, f.mr do
    f.wide[mr] = (f.levels or matrix.takes(f, mr)) and 1 or math.max(panels_at_once(f, p, set, mr), 1)
  end
end

-- Appends the kernels of so few rows.
local function add_wide_kernels(f)
  for mr, np in ipairs(f.wide) do
    if np > 1 then family.add_kernel(f, { mr = mr, nv = f.nv, np = np, apart = f.panel_bytes }) end
  end
end

-- Appends the last panel's kernels of every height, which end in the middle of a vector.
local function add_tail_kernels(f)
  local nv = f.widths[#f.widths]
  for mr = 1, f.mr do family.add_kernel(f, { mr = mr, nv = nv, tail = f.tail }) end
end

-- Lines that a turn of the loop prefetches: half of what it reads of its panel, less of it for rows of bytes, or what
-- wisdom says.
local function prefetched_lines(f, p, unrolled)
  local turn_bytes = p.spec.unroll * f.nv * p.isa.width * 4
  local lines = f.matrix and f.matrix.lines or
    f.X.of_bytes and math.ceil(f.sum_bytes / caches.line_bytes / TILES_ASKING) or
    math.max(1, math.floor(turn_bytes / caches.line_bytes / 2)) + (f.levels and 1 or 0)
  if f.sums[1].length < unrolled then return lines end
  return (tuning.value(p, f.op .. ".prefetch", lines, { least = 0, most = 8, candidates = { 0, lines * 2 } }))
end

-- Products of rows together ask for weights in streams[2] and, by one line a turn, for rows in streams[1], as both are
-- sums that come from L3: for both in each turn of the loop, because DRAM takes longer where weights are asked for in
-- bursts.
local function plan_both_streams(f, unrolled)
  f.asks_both, f.prefetches = true, { 0, 0 }
  for _, sum in ipairs(f.sums) do
    local turns = sum.count * math.floor(sum.length / unrolled)
    f.prefetches[1], f.prefetches[2] = f.prefetches[1] + turns, f.prefetches[2] + turns * (f.lines - 1)
  end
end

-- How many lines the kernels prefetch of streams[1] and streams[2]: sums take turns, the last one with streams[2],
-- and a turn of the loop prefetches half of what it reads of its panel. f.lowest_asking: the least height of a tile
-- that asks. A lower one is alone: its panels are all that is read, in a stream the caches follow. A sum without a turn
-- of its loop has none to ask in. Kernels of products that ask themselves prefetch what they read, or nothing.
local function plan_prefetches(f, p)
  local unrolled = f.matrix and f.matrix.depth or f.X.of_bytes and f.X.groups.group or
    p.spec.unroll * f.X.unit
  f.lines = f.asks_itself and 0 or prefetched_lines(f, p, unrolled)
  if f.lines == 0 then
    f.lowest_asking, f.first_stream, f.prefetches = f.mr + 1, 0, { 0, 0 }
    return
  end
  f.lowest_asking = f.matrix and f.matrix.least or
    f.sums[1].length >= unrolled and math.ceil(f.lone / 2) or f.mr + 1
  f.first_stream = f.n_sums % 2
  if f.levels and f.lines > 1 then return plan_both_streams(f, unrolled) end
  f.prefetches = { 0, 0 }
  local turn = f.first_stream
  for _, sum in ipairs(f.sums) do
    for _ = 1, sum.count do
      f.prefetches[turn + 1] = f.prefetches[turn + 1] + math.floor(sum.length / unrolled) * f.lines
      turn = 1 - turn
    end
  end
end

-- Makes tuning parameters of what a pass uses: running sums of a panel that is cut in depth, or else panels. Whether
-- one is cut is not a parameter, because the kernels have another file then.
local function tune_slices(f, p)
  local field, name = f.is_sliced and "kc_blocks" or "panels_per_pass", f.is_sliced and ".sums" or ".panels"
  local most = f.is_sliced and f.n_sums - 1 or #f.widths
  if most == 1 then return end
  f[field] = tuning.value(p, f.op .. name, f[field], { least = 1, most = most,
    candidates = tuning.doublings(f[field]) })
end

-- Running sums down a panel that several tiles of rows use in one pass (f.kc_blocks, of f.n_sums): all; or where a
-- panel is so deep that it, the next one and the rows would not stay in a small L2 together, those of a slice of it.
-- f.panels_per_pass: panels that such rows use before the next rows do.
local function plan_slices(f, p)
  f.n_sums = 0
  for _, sum in ipairs(f.sums) do f.n_sums = f.n_sums + sum.count end
  local width = f.nv * p.isa.width
  local row_bytes = f.X.groups and f.panel_bytes / f.k or width * f.X.panel.bytes
  local slices = math.ceil(f.k * row_bytes / SLICE_BYTES)
  local is_even = #f.sums == 1 and #tiles.distinct(f.widths) == 1 and f.tail == 0 and not f.X.is_integer and
    not f.X.in_groups
  f.kc_blocks = is_even and slices > 1 and not f.levels and math.ceil(f.n_sums / slices) or f.n_sums
  f.is_sliced = f.kc_blocks < f.n_sums
  -- A row more for their biases. Tiles of rows of bytes go over one panel after the other, which stays in L1.
  local panels = f.X.of_bytes and 1 or math.floor(PANELS_BYTES / ((1 + f.k) * row_bytes))
  f.panels_per_pass = f.is_sliced and 1 or math.max(1, math.min(#f.widths, panels))
  if not f.levels then tune_slices(f, p) end
end

-- Narrow rows, which are made of a product's rows before it: width: floats of a part of a row; room: elements with what
-- fills the last vector of a running sum; then, of integers, the scale and the offset of each of these. part_bytes: of
-- digits, from a part to the next. f.lda: elements from one row to the next, an odd number of lines apart, so that rows
-- of a tile share no cache set.
local function plan_rows(f, p, n_sums)
  local bytes = f.X.row.bytes
  local group_bytes = f.is_digits and f.X.groups.digits.bytes or f.X.row.group_bytes
  local room = round_up(f.k + p.isa.width - 1, math.max(p.isa.width, multiply.step(f.X.name)))
  local all = group_bytes and f.parts * n_sums * group_bytes or
    room * bytes + (f.X.is_integer and n_sums * ROW_FACTS or 0)
  local lines = math.ceil(all / caches.line_bytes)
  lines = lines + 1 - lines % 2
  f.rows = { width = f.depth, depth = f.k, room = room, bytes = lines * caches.line_bytes, parts = f.parts,
    part_bytes = f.is_digits and n_sums * group_bytes }
  f.lda = f.rows.bytes / bytes
end

-- Running sums over a depth of whole steps; what the last step lacks, the last sum lacks.
local function sums_of(depth, step, most)
  local sums = partial_sums(math.ceil(depth / step), math.floor(most / step))
  for _, sum in ipairs(sums) do sum.length = sum.length * step end
  local lacks, last = -depth % step, sums[#sums]
  if lacks > 0 then
    last.count = last.count - 1
    if last.count == 0 then sums[#sums] = nil end
    sums[#sums + 1] = { count = 1, length = last.length - lacks }
  end
  return sums
end

-- Running sums over heads side by side, of `width` floats each and zeros up to `padded`, which depends on the set: they
-- begin and end at the same floats on every one. A sum takes whole heads, or a part of one; parts of a head are alike
-- where vectors are widest.
local function sums_of_heads(heads, most)
  if heads.width <= most then
    local sums = partial_sums(heads.count, math.floor(most / heads.width))
    for _, sum in ipairs(sums) do sum.length = sum.length * heads.padded end
    return sums
  end
  local parts, sums = partial_sums(round_up(heads.width, WIDEST), most), {}
  local last = parts[#parts]
  last.count, parts[#parts + 1] = last.count - 1, { count = 1,
    length = last.length - round_up(heads.width, WIDEST) + heads.padded }
  for _ = 1, heads.count do
    for _, part in ipairs(parts) do
      local before = sums[#sums]
      if before and before.length == part.length then
        before.count = before.count + part.count
      elseif part.count > 0 then
        sums[#sums + 1] = { count = part.count, length = part.length }
      end
    end
  end
  return sums
end

-- A product's arithmetic (f.X) and what follows from it: running sums down a panel, and bytes: of an element of its
-- rows, of a full panel, of its first running sum, and of all panels.
local function plan_arithmetic(f, p, name)
  local width, vectors, n_sums, column_bytes = f.nv * p.isa.width, 0, 0, 0
  f.X, f.depth, f.k = multiply.vocabulary(name, p.isa, p.weights_dtype), f.k, multiply.padded(name, f.k)
  f.is_digits, f.max_sum = f.X.groups and not f.X.in_groups, formats.get(name).product.sum or p.max_sum
  f.asks_itself = f.is_digits or f.X.in_groups and not f.X.of_bytes
  f.sums = f.is_digits and { { count = math.ceil(f.k / f.X.groups.group), length = f.X.groups.group } } or
    f.heads and f.heads.width % WIDEST > 0 and sums_of_heads(f.heads, f.max_sum) or
    sums_of(f.k, multiply.step(name, p.weights_dtype), f.max_sum)
  f.longest_sum = 0
  for _, sum in ipairs(f.sums) do
    f.longest_sum = math.max(f.longest_sum, sum.length)
    n_sums, column_bytes = n_sums + sum.count, column_bytes + sum.count * f.X.column_bytes(sum.length)
  end
  for _, nv in ipairs(f.widths) do vectors = vectors + nv end
  f.row_bytes, f.panel_bytes = f.X.row.bytes, column_bytes * width
  f.sum_bytes = f.X.column_bytes(f.sums[1].length) * width
  f.bytes = column_bytes * vectors * p.isa.width
  f.together = f.X.groups and GROUPS_TOGETHER
  f.x_sum_bytes = f.is_digits and f.X.groups.digits.bytes or f.sums[1].length * f.row_bytes
  if f.X.is_narrow or f.is_digits then plan_rows(f, p, n_sums) end
end

-- What a product of rows together has in addition to one of parts: panels of all sums of weights, one after the other,
-- and bytes of the sums of a row, for each of the products of a single row: those of rows together are fewer a row. A
-- line of each row is for the planes of the sums, which begin an odd number of lines apart.
local function plan_fast(f)
  local scheme = bilinear.levels[f.levels]
  f.panel_bytes, f.bytes = #scheme.products * f.panel_bytes, #scheme.products * f.bytes
  f.made = #scheme.single.products * f.k * f.row_bytes + caches.line_bytes
end

-- The running sums as text.
local function sums_text(sums)
  local parts = {}
  for i, sum in ipairs(sums) do parts[i] = ("%dx%d"):format(sum.count, sum.length) end
  return table.concat(parts, "+")
end

-- The name of a product's kernels: the type, the depth, and what is not usual of them: floats from one row to the next,
-- the length of running sums where there are several, and whether a call may take a part of the depth (kc). Kernels of
-- digits know no depth.
local function kernels_name(f)
  if f.is_digits then return f.dtype .. "_gemm_digits" end
  local words = { ("%s_gemm_k%d"):format(f.dtype, f.k) }
  if not f.rows and f.lda ~= f.k then words[#words + 1] = "ld" .. f.lda end
  if f.n_sums > 1 then words[#words + 1] = "s" .. f.longest_sum end
  if f.is_sliced then words[#words + 1] = "kc" end
  return table.concat(words, "_")
end

-- What the code of a product's kernels depends on beside their tiles.
local function identity(f, p)
  if f.is_digits then return { f.dtype, p.spec.unroll } end
  return { f.dtype, p.spec.unroll, f.k, f.lda, sums_text(f.sums), f.is_sliced, f.rows and f.rows.bytes or false,
    f.rows and f.rows.room or false, f.X.row.is_apart or false }
end

-- The kernels that a product takes: those of all products that compute the same.
local function plan_kernels(f, p)
  local template = f.is_digits and "gemm_digits" or f.X.in_groups and "gemm_rounded" or "gemm"
  local facts = {
    template = ("linear/%s.c.lt"):format(template), X = f.X, k = f.k, lda = f.lda, sums = f.sums, n_sums = f.n_sums,
    is_sliced = f.is_sliced, longest_sum = f.longest_sum, rows = f.rows, first_stream = f.first_stream,
    together = f.together,
    what = ("rows of %s times panels of packed weights"):format(f.X.row.name),
  }
  matrix.take_group(f, p, "matrix_" .. kernels_name(f),
    f.X.in_groups and "linear/gemm_matrix_groups.c.lt" or "linear/gemm_matrix.c.lt", identity(f, p), facts)
  family.take_group(f, kernels.group(p, kernels_name(f), identity(f, p), facts))
end

-- Widths of the panels but the last one, if that has kernels of its own; each once.
local function whole_widths(f)
  local whole = {}
  for i, nv in ipairs(f.widths) do
    if i < #f.widths or f.tail == 0 then whole[#whole + 1] = nv end
  end
  f.full = 0
  for _, nv in ipairs(whole) do f.full = f.full + (nv == f.nv and 1 or 0) end
  return tiles.distinct(whole)
end

-- Rows of a tile by the cost model. Rows that lie whole periods of the L1 cache apart share one set of it, which holds
-- so many lines.
local function rows_by_model(f, dims)
  local share_a_set = dims.arithmetic == "f32" and dims.lda * 4 % caches.l1_period == 0
  return share_a_set and math.min(f.mr, caches.l1_ways) or f.mr
end

-- The sizes of one of the products that a fast one consists of.
local function divided(dims)
  local sides = bilinear.levels[dims.levels].sides
  local of = { vectors = dims.vectors / sides, k = dims.k / sides, lda = dims.k / sides, x_floats = dims.lda }
  return setmetatable(of, { __index = dims })
end

-- What register tiles are chosen by. Rows of bytes have two accumulators for each vector of a tile, of whole numbers
-- and of floats, and four registers must be left.
local function tile_set(isa, groups, in_groups)
  local other = groups and not in_groups and groups.digits and groups.digits.tile or {}
  if groups and in_groups and groups.parts_of then
    other = { max_accumulators = math.floor((isa.registers - 4) / 2), fma_latency = 1 }
  end
  return setmetatable({}, { __index = function(_, of) return other[of] or isa[of] end })
end

-- Rows of [k] times packed panels [k][nr], plus a bias. Of the last panel's last vector only `tail` floats are stored
-- (0: all). dims.heads: where the rows are heads side by side with zeros after each: count, width, padded. dims.parts:
-- parts of a row that one weight multiplies one by one, nil for the whole row.
-- dims.levels: how often rows and weights are split where rows are multiplied together (base/bilinear.lua). What is
-- planned then is one of these products, of a half or a quarter of the depth and of the columns.
return function(p, op, what, dims)
  if dims.levels then dims = divided(dims) end
  local name = dims.arithmetic
  local in_groups = formats.get(name).product.group ~= nil
  local groups = (name == "f32" or in_groups) and kept.vocabulary(p.weights_dtype, p.isa)
  local set = tile_set(p.isa, groups, in_groups)
  local most_vectors = matrix.most_vectors(multiply.vocabulary(name, p.isa, p.weights_dtype)) or tiles.MAX_NV
  local f = family.new(p, op, what, tiles.candidates(set, dims.vectors, most_vectors),
    name == "f32" and formats.word(p.weights_dtype) or
    in_groups and formats.word(name) .. "_" .. formats.word(p.weights_dtype) or name)
  if groups and groups.is_float == false and p.isa.widens_for_fma then family.sweep(f, set) end
  local most = math.max(f.mr, tiles.tallest(set, f.nv))
  f.mr = rows_by_model(f, dims)
  f.k, f.lda, f.ldc, f.tail, f.heads, f.x_floats = dims.k, dims.lda, dims.ldc, dims.tail, dims.heads,
    dims.x_floats or dims.lda
  f.parts, f.levels = dims.parts or 1, dims.levels
  plan_arithmetic(f, p, name)
  matrix.plan(f)
  if not f.matrix then family.tune_rows(p, { f }, op .. ".rows", most) end
  plan_slices(f, p)
  local widths = whole_widths(f)
  plan_wide(f, p, set)
  plan_prefetches(f, p)
  plan_kernels(f, p)
  family.add_kernels(f, widths)
  add_wide_kernels(f)
  if f.tail > 0 then add_tail_kernels(f) end
  if f.levels then plan_fast(f) end
  return f
end
