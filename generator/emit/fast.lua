-- emit/fast.lua: what templates say of products of pairs of rows: the steps of a scheme (base/bilinear.lua) as words
-- for vectors, and which sums of weights its products take. Decides nothing.
local bilinear = require "base.bilinear"
local plan_fast = require "plan.fast"

local fast = {}

local SCHEME = plan_fast.SCHEME

-- The block b11, b12, b21 or b22 as a number from 0 on.
local function block(name)
  return (tonumber(name:sub(2, 2)) - 1) * 2 + tonumber(name:sub(3, 3)) - 1
end

-- Steps as { name, word, left, right }: word: the vocabulary's, of vectors that have the names left and right.
local function in_words(steps)
  local list = {}
  for i, step in ipairs(steps) do
    list[i] = { name = step[1], word = step[3] > 0 and "add" or "sub", left = step[2], right = step[4] }
  end
  return list
end

-- The rows, 1 or 2, of a part of the scheme as templates take it: sums and results: steps; products: for each the
-- vector of rows that it takes and the place of its sum of weights among all.
local function part(of, name, rows)
  local at, products = {}, {}
  for i, product in ipairs(SCHEME.products) do at[product[3]] = i - 1 end
  for i, product in ipairs(of.products) do
    products[i] = { name = product[1], rows = product[2], weights = at[product[3]] }
  end
  return { name = name, rows = rows, sums = in_words(of.rows), products = products, results = in_words(of.results) }
end

-- parts: of a pair and of a single row; weight_sums: as the packer adds them.
function fast.scheme()
  local sums = {}
  for i, sum in ipairs(bilinear.weight_sums(SCHEME)) do sums[i] = { block(sum[1]), sum[2], block(sum[3]) } end
  return { parts = { part(SCHEME, "pair", 2), part(SCHEME.single, "single", 1) }, weight_sums = sums,
    products = #SCHEME.products, paired_rows = SCHEME.paired_rows, items = plan_fast.ITEMS }
end

return fast
