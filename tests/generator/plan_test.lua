-- plan_test.lua: what must be true of every plan: registers, covers, sums, memory and names.
local fact = dofile("tests/generator/fact.lua")
local shapes = dofile("tests/generator/shapes.lua")
local isa = require "isa"
local plan = require "plan"
local spec = require "spec"
local stack = require "plan.stack"

local LINE = 64    -- bytes of a cache line
local ALIGNED = LINE / 4 -- floats in one

-- Calls f(plan, label) for every shape and instruction set.
local function each_plan(f)
  shapes.each_isa(function(s, set, label)
    local p = plan.make(s, set)
    local ok, why = pcall(f, p, s)
    if not ok then error(label .. ": " .. tostring(why), 0) end
  end)
end

local function each_kernel(p, f)
  for _, family in ipairs(p.families) do
    for _, kernel in ipairs(family.kernels) do f(kernel, family) end
  end
end

local function total(widths)
  local sum = 0
  for _, nv in ipairs(widths) do sum = sum + nv end
  return sum
end

fact.holds("positions that no sequence reaches are not packed", function()
  local s = assert(spec.from_fields({ kind = "encoder", n_layers = 1, d_model = 16, n_heads = 2, d_ff = 16, seq_len = 5,
    positions = { kind = "learned", rows = 72, first = 2 } }))
  local bytes = {}
  for _, part in ipairs(stack.make(s, isa.get("scalar")).packed.parts) do bytes[part.name] = part.bytes end
  fact.equal(bytes.positions, (2 + 5) * 16 * 4)
end)

-- -- Kernels --------------------------------------------------------------------------------------------------------

fact.holds("no kernel needs more registers than there are", function()
  each_plan(function(p)
    each_kernel(p, function(kernel, family)
      assert(kernel.mr >= 1 and kernel.mr <= family.mr and kernel.nv >= 1)
      assert(kernel.mr * kernel.nv + kernel.nv + 1 <= p.isa.registers, kernel.symbol)
    end)
  end)
end)

fact.holds("a kernel's symbol says model, type, what it computes, tile and instruction set", function()
  each_plan(function(p, s)
    each_kernel(p, function(kernel)
      local what, tile, set = kernel.symbol:match("^" .. s.name .. "_f32_([%l%d_]-)_(%d+x[%dx]+[_p%d]-)__([%l%d]+)$")
      assert(what and set == p.isa.name, kernel.symbol)
      local columns = kernel.nv * p.isa.width - (kernel.tail and p.isa.width - kernel.tail or 0)
      fact.equal(tile, ("%d%sx%d%s"):format(kernel.mr, kernel.np > 1 and "x" .. kernel.np or "", columns,
        kernel.lines and "_p" .. kernel.lines or ""))
    end)
  end)
end)

-- Calls f(group, plan) for the groups of kernels of every plan, and of the models whose specs have parts.
local function each_group(f)
  each_plan(function(p)
    for _, group in ipairs(p.kernels.groups) do f(group, p) end
  end)
end

fact.holds("a symbol is one kernel's, a file one group's, and each begins with model and instruction set", function()
  local owner = {}
  each_group(function(group, p)
    fact.equal(group.file, p.prefix .. "_" .. group.name .. ".c")
    assert(owner[group.file] == nil or owner[group.file] == p.spec.name, group.file)
    owner[group.file] = p.spec.name
    local seen = {}
    for _, kernel in ipairs(group.kernels) do
      assert(not seen[kernel.symbol], kernel.symbol)
      seen[kernel.symbol] = true
    end
  end)
end)

fact.holds("every width of a cover has kernels of every height", function()
  each_plan(function(p)
    local families = { p.value }
    for _, family in ipairs(p.products) do families[#families + 1] = family end
    for _, family in ipairs(families) do
      local heights = {}
      for _, kernel in ipairs(family.kernels) do
        local key = kernel.nv .. (kernel.tail and " with a tail" or "")
        heights[key] = (heights[key] or 0) + ((kernel.np or 1) == 1 and 1 or 0)
      end
      for i, nv in ipairs(family.widths) do
        local key = nv .. (i == #family.widths and (family.tail or 0) > 0 and " with a tail" or "")
        fact.equal(heights[key], family.mr)
      end
    end
  end)
end)

fact.holds("scores have a kernel for every number of vectors a last panel may hold", function()
  each_plan(function(p)
    fact.equal(#p.score.kernels, p.score.mr * p.score.nv)
    fact.equal(p.score.mr, p.value.mr)
    fact.equal(p.key_panel, p.score.nv * p.isa.width)
  end)
end)

-- -- Covers and sums ------------------------------------------------------------------------------------------------

fact.holds("covers hold exactly the padded width", function()
  each_plan(function(p, s)
    local width = p.isa.width
    for _, family in ipairs(p.projects) do fact.equal(total(family.widths) * width, p.d_head_pad) end
    fact.equal(total(p.value.widths) * width, p.d_v_pad)
    if p.out then fact.equal(total(p.out.widths) * width, math.ceil(s.d_out / width) * width) end
    fact.equal(p.concat, p.finish == "by_head_in_place" and s.d_v or s.n_heads * p.d_v_pad)
    assert(p.d_head_pad >= s.d_head and p.d_head_pad - s.d_head < width)
  end)
end)

fact.holds("the last vector of the output stores what is left of d_out", function()
  each_plan(function(p, s)
    for _, family in ipairs(p.projects) do fact.equal(family.tail, 0) end
    if p.out then fact.equal(p.out.tail, s.d_out % p.isa.width) end
    for _, kernel in ipairs(p.out and p.out.kernels or {}) do
      assert(kernel.tail == nil or kernel.tail == p.out.tail and kernel.tail > 0)
    end
  end)
end)

fact.holds("running sums add up to k, are nearly equal and not too long", function()
  for k = 1, 700 do
    local p = plan.make(assert(spec.from_fields({ d_model = k, n_heads = 1, d_head = 4, seq_len = 1 })),
      isa.get("scalar"))
    local products, shortest, longest = 0, math.huge, 0
    for _, sum in ipairs(p.project_of.q.sums) do
      assert(sum.count >= 1 and sum.length >= 1)
      products = products + sum.count * sum.length
      shortest, longest = math.min(shortest, sum.length), math.max(longest, sum.length)
    end
    fact.equal(products, k)
    assert(longest <= p.max_sum and longest - shortest <= 1, k)
  end
end)

-- Heads side by side have zeros between them where vectors are wide: what joins a running sum must not depend on them.
fact.holds("running sums over heads begin and end at the same floats on every set, and take few enough", function()
  local function ends(d_head, n_heads, set)
    local fields = { d_model = 8, n_heads = n_heads, d_head = d_head, seq_len = "1..40" }
    local p = plan.make(assert(spec.from_fields(fields)), set)
    local list, at, before = {}, 0, 0
    for _, sum in ipairs(p.out.sums) do
      for _ = 1, sum.count do
        at = at + sum.length
        local head = math.floor(at / p.d_v_pad)
        local float = head * d_head + math.min(at - head * p.d_v_pad, d_head)
        assert(float > before and float - before <= p.max_sum, d_head)
        list[#list + 1], before = float, float
      end
    end
    fact.equal(at, p.out.k)
    fact.equal(before, n_heads * d_head)
    return table.concat(list, " ")
  end
  for _, d_head in ipairs({ 1, 8, 15, 16, 19, 20, 33, 40, 64, 72, 80, 100, 127, 130, 136, 200, 250 }) do
    for _, n_heads in ipairs({ 1, 3, 8 }) do
      local expected = ends(d_head, n_heads, isa.get("scalar"))
      for _, name in ipairs(isa.names()) do
        fact.equal(ends(d_head, n_heads, isa.get(name)), expected, name .. " " .. d_head)
      end
    end
  end
end)

fact.holds("each product's k and strides are those of its operands", function()
  each_plan(function(p, s)
    for name, n_in in pairs(s.projects.q and { q = s.d_model, k = s.k_dim, v = s.v_dim } or {}) do
      local family = p.project_of[name]
      assert(family.k == (s.shared_heads and s.d_head or n_in) and family.lda == n_in and family.ldc == p.head_stride)
    end
    assert(not p.out or p.out.k == p.concat and p.out.lda == p.concat and p.out.ldc == s.d_out)
    assert(p.score.k == s.d_head and p.score.lda == p.head_stride)
  end)
end)

-- -- Memory ---------------------------------------------------------------------------------------------------------

local function floats_of(p, s)
  return {
    heads = s.shared_heads and 3 * s.d_head * p.d_head_pad or
      p.concat * s.d_model + s.n_kv_heads * p.d_head_pad * (s.k_dim + s.v_dim),
    heads_bias = s.shared_heads and 3 * p.d_head_pad or p.concat + 2 * s.n_kv_heads * p.d_head_pad,
    o = s.projects.o and math.ceil(s.d_out / p.isa.width) * p.isa.width * p.concat,
    o_bias = s.projects.o and math.ceil(s.d_out / p.isa.width) * p.isa.width,
    embedding = s.vocab_size and s.vocab_size * s.d_model,
    rope = s.rope and s.rope_places * s.rope.rotary_dim,
    q_norm = s.qk_norm and (s.qk_norm.bias and 2 or 1) * (s.waits_for_heads and s.n_heads or 1) * p.d_head_pad,
    k_norm = s.qk_norm and (s.qk_norm.bias and 2 or 1) * (s.waits_for_heads and s.n_kv_heads or 1) * p.d_head_pad,
  }
end

fact.holds("packed parts are aligned, in order, apart, and as large as what they hold", function()
  each_plan(function(p, s)
    local free, expected, count = 0, floats_of(p, s), 0
    for _, part in ipairs(p.packed.parts) do
      fact.equal(part.offset % LINE, 0)
      assert(part.offset >= free, part.name .. " overlaps")
      fact.equal(part.bytes, 4 * assert(expected[part.name], part.name))
      free = part.offset + part.bytes
      count = count + 1
    end
    fact.equal(count, (s.projects.q and 2 or 0) + (s.projects.o and 2 or 0) + (s.vocab_size and 1 or 0)
      + (s.rope and 1 or 0) + (s.qk_norm and 2 or 0))
    assert(p.packed.bytes >= free and p.packed.bytes - free < LINE)
  end)
end)

fact.holds("buffers have an owner, a unit and whole lines, and rows are gathered only where they may gap", function()
  each_plan(function(p, s)
    local has = {}
    for _, buffer in ipairs(p.buffers) do
      assert(({ slot = true, thread = true, round = true })[buffer.owner], buffer.name)
      assert(({ q_row = true, kv_row = true, panel = true, once = true })[buffer.unit], buffer.name)
      if buffer.owner ~= "round" and buffer.unit ~= "panel" then fact.equal(buffer.floats % ALIGNED, 0) end
      has[buffer.name] = true
    end
    fact.equal(has.x_q == true, s.projects.q and (s.lengths or s.vocab_size ~= nil))
    fact.equal(has.y == true, s.projects.q and s.lengths)
    fact.equal(has.concat == true, p.finish ~= "in_place" and p.finish ~= "by_head_in_place")
    assert(has.q and has.k and has.v and has.panels and has.scores)
  end)
end)

fact.holds("a row of scores holds all keys in whole panels, its successor aligned like it", function()
  each_plan(function(p, s)
    local panels = math.ceil(s.kv_seq_len.max / p.key_panel)
    assert(p.scores_stride >= panels * p.key_panel)
    fact.equal(p.scores_stride % p.isa.width, 0)
    for _, buffer in ipairs(p.buffers) do
      if buffer.name == "scores" then fact.equal(buffer.floats, p.block_tiles * p.score.mr * p.scores_stride) end
    end
  end)
end)

fact.holds("sizes are whole numbers that C can spell", function()
  each_plan(function(p)
    for _, part in ipairs(p.packed.parts) do
      assert(part.offset == math.floor(part.offset) and part.bytes < 2 ^ 53)
    end
    for _, key in ipairs({ "d_head_pad", "concat", "key_panel", "head_stride", "scores_stride" }) do
      fact.equal(p[key], math.floor(p[key]))
    end
  end)
end)

fact.holds("rows of a head are an odd number of cache lines apart and hold it whole", function()
  each_plan(function(p)
    local widest = math.max(p.d_head_pad, p.d_v_pad)
    fact.equal(p.head_stride / ALIGNED % 2, 1)
    assert(p.head_stride >= widest and p.head_stride < widest + 2 * ALIGNED)
  end)
end)

-- -- Few rows, and what is to come ----------------------------------------------------------------------------------

fact.holds("a low tile passes so many panels that the multiply-add units are busy, or all there are", function()
  each_plan(function(p)
    local set = p.isa
    for _, family in ipairs(p.products) do
      for mr, np in ipairs(family.wide) do
        local sums = mr * np * family.nv
        assert(np == 1 or sums <= set.max_accumulators and np <= family.full)
        assert(sums >= set.fma_per_cycle * set.fma_latency or np >= family.full or
          sums + mr * family.nv > set.max_accumulators, ("%d rows, %d panels"):format(mr, np))
      end
    end
  end)
end)

fact.holds("sums ask for rows and weights in turn, the last one for weights", function()
  each_plan(function(p, s)
    for _, family in ipairs(p.products) do
      local turns, blocks = 0, 0
      for _, sum in ipairs(family.sums) do
        turns = turns + sum.count * math.floor(sum.length / s.unroll)
        blocks = blocks + sum.count
      end
      fact.equal(family.prefetches[1] + family.prefetches[2], turns * family.lines)
      fact.equal(family.first_stream, blocks % 2)
      assert(blocks > 1 or family.prefetches[1] == 0)
    end
  end)
end)

fact.holds("deep panels are cut into slices that stay in a small L2, by whole sums; others are not", function()
  local function cut(d_ff)
    local s = assert(spec.from_fields({ kind = "encoder", d_model = 768, n_heads = 12, d_ff = d_ff, n_layers = 1 }))
    local slices = {}
    for _, name in ipairs({ "avx512", "avx2", "scalar" }) do
      local f = stack.make(s, isa.get(name)).product.down
      assert(f.kc_blocks == f.n_sums or
        f.kc_blocks * f.sums[1].length * f.nv * isa.get(name).width * 4 <= 128 * 1024)
      slices[#slices + 1] = ("%d of %d"):format(f.kc_blocks, f.n_sums)
    end
    return table.concat(slices, ", ")
  end
  fact.equal(cut(3072), "8 of 24, 12 of 24, 24 of 24")
  fact.equal(cut(1024), "8 of 8, 8 of 8, 8 of 8")
  fact.equal(cut(3071), "24 of 24, 24 of 24, 24 of 24") -- sums of two lengths
end)

fact.holds("rows between the feed-forward's linears do not meet in the L1 cache", function()
  local function stride(d_ff, gated)
    local s = assert(spec.from_fields({ kind = "encoder", d_model = 64, n_heads = 4, d_ff = d_ff, n_layers = 1,
      ffn = { gated = gated, activation = gated and "silu" or "relu" } }))
    return stack.make(s, isa.get("avx2")).buffer.mid.floats
  end
  fact.equal(stride(3072, false), 3072 + 32)
  fact.equal(stride(1536, false), 1536 + 32)
  fact.equal(stride(256, true), 512 + 32)
  fact.equal(stride(1920, false), 1920)
end)

-- -- One shape, by hand ---------------------------------------------------------------------------------------------

fact.holds("rows of a tile that share one set of the L1 cache fit it", function()
  for d_model, rows in pairs({ [1024] = 8, [768] = 12, [512] = 12, [2048] = 8 }) do
    local s = assert(spec.from_fields({ d_model = d_model, n_heads = math.floor(d_model / 64) }))
    local p = plan.make(s, isa.get("avx512"))
    fact.equal(p.project_of.q.mr, rows)
    fact.equal(p.out.mr, rows)
  end
end)

fact.holds("the default shape has the tiles that were measured", function()
  local s = assert(spec.from_fields({ d_model = 512, n_heads = 8 }))
  local function tile(name, op)
    local p = plan.make(s, isa.get(name))
    local family = op == "project" and p.project_of.q or p[op]
    return ("%dx%d"):format(family.mr, family.nv * isa.get(name).width)
  end
  fact.equal(tile("avx2", "project"), "6x16")
  fact.equal(tile("avx2", "out"), "6x16")
  fact.equal(tile("avx2", "score"), "6x16")
end)

fact.finish()
