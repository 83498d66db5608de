-- tiles.lua: register tiles for one instruction set: which fit, what each costs, and covers of a width by them.
-- Knows registers and ports, not what is multiplied.
local fmt = require "base.fmt"

local tiles = {}

tiles.MAX_NV = 6 -- vectors in a panel of weights

local L2_BYTES_PER_CYCLE = 32

-- Cycles one step (a column of A times a row of B) of an mr x nv tile takes at least: multiply-adds, loads, and the
-- chain of additions into each accumulator.
local function step_cycles(set, mr, nv)
  return math.max(mr * nv / set.fma_per_cycle, (mr + nv) / set.loads_per_cycle, set.fma_latency)
end

-- Cost of one multiply-add vector in units of the best possible; B's panel is streamed from L2 once for each tile, and
-- what of that shows is about a tenth (measured on Zen 3 and Zen 4).
local function cost(set, mr, nv)
  local cycles = step_cycles(set, mr, nv)
  local streamed = nv * set.width * 4 / (cycles * L2_BYTES_PER_CYCLE)
  return cycles * set.fma_per_cycle / (mr * nv) * (1 + 0.1 * streamed)
end

-- Registers that an mr x nv tile takes: its accumulators, nv vectors of B and one of A.
function tiles.registers(mr, nv)
  return mr * nv + nv + 1
end

-- The tallest tile of nv vectors: accumulators, nv vectors of B and one of A must stay in registers.
function tiles.tallest(set, nv)
  local fit = math.min(set.max_accumulators, set.registers - nv - 1)
  return math.floor(fit / nv)
end

-- Panels of nv vectors that an mr-row tile must pass at once to keep the multiply-add units busy, as far as registers
-- go; 1 where one panel does.
function tiles.panels_at_once(set, mr, nv)
  local wanted = math.ceil(set.fma_per_cycle * set.fma_latency / (mr * nv))
  return math.max(1, math.min(wanted, math.floor(set.max_accumulators / (mr * nv))))
end

-- Widths, in vectors, that cover n of them with panels nv wide; the last one takes the rest.
function tiles.cover(n, nv)
  local widths = {}
  for i = 1, math.floor(n / nv) do widths[i] = nv end
  if n % nv > 0 then widths[#widths + 1] = n % nv end
  return widths
end

-- Cost of such a cover for tiles of mr rows: panels added one by one, as a product goes over them.
local function cover_cost(set, n, nv, mr)
  local total, whole, rest = 0, nv * cost(set, mr, nv), n % nv
  for _ = 1, math.floor(n / nv) do total = total + whole end
  if rest > 0 then total = total + rest * cost(set, mr, rest) end
  return total / n
end

-- Candidates for a product n vectors wide, best first: { n, mr, nv, cost }. max_nv bounds the panels' width; with mr
-- given, only tiles of that height.
function tiles.candidates(set, n, max_nv, mr)
  local list = {}
  for nv = 1, math.min(n, max_nv) do
    local most = tiles.tallest(set, nv)
    if most >= (mr or 1) then
      list[#list + 1] = { n = n, mr = mr or most, nv = nv, cost = cover_cost(set, n, nv, mr or most) }
    end
  end
  table.sort(list, function(a, b)
    if a.cost ~= b.cost then return a.cost < b.cost end
    return a.nv < b.nv
  end)
  return list
end

-- The height at which two products over the same rows cost least together, and the candidates of both at that height.
-- n_a, n_b: their widths in vectors; max_a, max_b: their panels' greatest width.
function tiles.candidates_together(set, n_a, max_a, n_b, max_b)
  local best
  for mr = 1, set.max_accumulators do
    local a, b = tiles.candidates(set, n_a, max_a, mr), tiles.candidates(set, n_b, max_b, mr)
    local sum = a[1] and b[1] and a[1].cost + b[1].cost
    if sum and (not best or sum < best.cost) then best = { cost = sum, a = a, b = b } end
  end
  return best.a, best.b
end

-- The different widths in a cover, widest first.
function tiles.distinct(widths)
  local list, seen = {}, {}
  for _, nv in ipairs(widths) do
    if not seen[nv] then
      seen[nv] = true
      list[#list + 1] = nv
    end
  end
  table.sort(list, function(a, b) return a > b end)
  return list
end

-- The candidates on one line, for `info` and --dump-plan.
function tiles.describe(list, width)
  local parts = {}
  for _, c in ipairs(list) do
    parts[#parts + 1] = ("%dx%d %s"):format(c.mr, c.nv * width, fmt.fixed(c.cost, 3))
  end
  return table.concat(parts, ", ")
end

return tiles
