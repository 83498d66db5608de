-- tiles_test.lua: register tiles fit their instruction set and cover their width exactly.
local fact = dofile("tests/generator/fact.lua")
local isa = require "isa"
local tiles = require "plan.tiles"

local MAX_NV = 6

-- Calls f(set, n, candidates) for widths of 1 to 40 vectors and every instruction set.
local function each(f)
  for _, name in ipairs(isa.names()) do
    for n = 1, 40 do f(isa.get(name), n, tiles.candidates(isa.get(name), n, MAX_NV)) end
  end
end

local function total(widths)
  local sum = 0
  for _, nv in ipairs(widths) do sum = sum + nv end
  return sum
end

fact.holds("accumulators, a row of B and one vector of A stay in registers", function()
  each(function(set, _, list)
    assert(#list > 0)
    for _, c in ipairs(list) do
      assert(c.mr >= 1 and c.nv >= 1 and c.nv <= MAX_NV)
      assert(c.mr * c.nv + c.nv + 1 <= set.registers, c.mr .. "x" .. c.nv)
      assert(c.mr * c.nv <= set.max_accumulators)
    end
  end)
end)

fact.holds("no tile could be a row taller", function()
  each(function(set, _, list)
    for _, c in ipairs(list) do
      local taller = (c.mr + 1) * c.nv
      assert(taller > set.max_accumulators or taller + c.nv + 1 > set.registers, c.mr .. "x" .. c.nv)
    end
  end)
end)

fact.holds("widths cover exactly n vectors, the last the narrowest", function()
  each(function(_, n, list)
    for _, c in ipairs(list) do
      local widths = tiles.cover(c.n, c.nv)
      fact.equal(total(widths), n)
      for i, nv in ipairs(widths) do
        assert(nv == c.nv or i == #widths and nv < c.nv and nv > 0)
      end
    end
  end)
end)

fact.holds("candidates come cheapest first and never below the best possible", function()
  each(function(_, _, list)
    for i, c in ipairs(list) do
      assert(c.cost >= 1, c.cost)
      assert(i == 1 or list[i - 1].cost <= c.cost)
    end
  end)
end)

fact.holds("a given height is kept, and one that does not fit gives nothing", function()
  for _, c in ipairs(tiles.candidates(isa.get("avx2"), 8, MAX_NV, 4)) do
    fact.equal(c.mr, 4)
    assert(c.nv <= 3)
  end
  fact.equal(#tiles.candidates(isa.get("avx2"), 8, MAX_NV, 13), 0)
end)

fact.holds("two products together have one height, the cheapest for both", function()
  for _, name in ipairs(isa.names()) do
    local set = isa.get(name)
    for n = 1, 20 do
      local a, b = tiles.candidates_together(set, 32, 2, n, MAX_NV)
      fact.equal(a[1].mr, b[1].mr)
      for mr = 1, set.max_accumulators do
        local other_a, other_b = tiles.candidates(set, 32, 2, mr), tiles.candidates(set, n, MAX_NV, mr)
        if other_a[1] and other_b[1] then
          assert(a[1].cost + b[1].cost <= other_a[1].cost + other_b[1].cost, name .. " " .. n .. " " .. mr)
        end
      end
    end
  end
end)

fact.holds("distinct lists each width once, widest first", function()
  fact.lists_equal(tiles.distinct({ 2, 3, 3, 1, 2 }), { 3, 2, 1 })
  fact.lists_equal(tiles.distinct({}), {})
end)

fact.holds("describe shows heights, widths in floats and costs", function()
  fact.equal(tiles.describe({ { mr = 6, nv = 2, cost = 1 }, { mr = 12, nv = 1, cost = 1.0625 } }, 8),
    "6x16 1.000, 12x8 1.063")
end)

fact.finish()
