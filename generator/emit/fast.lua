-- emit/fast.lua: what templates say of products of rows together: the steps of a scheme (base/bilinear.lua) as words
-- for vectors, and which sums of weights its products take. Decides nothing.
local bilinear = require "base.bilinear"
local plan_fast = require "plan.fast"

local fast = {}

-- The block of a name, such as b12, as a number from 0 on.
local function block(name, sides)
  return (tonumber(name:sub(2, 2)) - 1) * sides + tonumber(name:sub(3, 3)) - 1
end

-- Steps in the order in which what they make is stored: { does, name, ... }. "load" what no step makes, "add" or "sub"
-- a left and a right, "store" one of `stored` at a place from 0 on.
local function in_words(steps, stored)
  local list, at = {}, 0
  bilinear.in_order(steps, stored, function(name, step)
    local word = step and (step[3] > 0 and "add" or "sub") or "load"
    list[#list + 1] = { does = word, name = name, left = step and step[2], right = step and step[4] }
  end, function(name)
    list[#list + 1], at = { does = "store", name = name, at = at }, at + 1
  end)
  return list
end

-- A part of a scheme as templates take it. rows: that are multiplied together; sums and joins: steps of rows and of
-- results; products: names, in order; weights: of each product the place of its sum of weights among all.
local function part(scheme, of, name, rows)
  local at, sums, results = {}, {}, {}
  local made = { name = name, rows = rows, sides = scheme.sides, products = {}, weights = {} }
  for i, product in ipairs(scheme.products) do at[product[3]] = i - 1 end
  for i, product in ipairs(of.products) do
    made.products[i], sums[i], made.weights[i] = product[1], product[2], at[product[3]]
  end
  for i = 1, rows do
    for j = 1, scheme.sides do results[#results + 1] = ("c%d%d"):format(i, j) end
  end
  made.sums, made.joins = in_words(of.rows, sums), in_words(of.results, results)
  return made
end

local NAMES = { "pair", "four" }

-- The scheme of so many levels: parts: of rows together and of a single row; items: that all panels use in turn;
-- plane: floats of a product of them with a panel.
local function scheme_of(levels, set)
  local scheme = bilinear.levels[levels]
  local name = NAMES[levels]
  return { name = name, levels = levels, sides = scheme.sides, paired_rows = scheme.paired_rows,
    products = #scheme.products, items = plan_fast.ITEMS[levels], plane = plan_fast.plane_floats(set, levels),
    parts = { part(scheme, scheme, name, scheme.sides), part(scheme, scheme.single, "one_as_" .. name, 1) } }
end

-- The schemes of a model's products, fewer levels first.
function fast.schemes(products, set)
  local is_used, list = {}, {}
  for _, f in ipairs(products) do is_used[f.levels or 0] = true end
  for levels = 1, #bilinear.levels do list[#list + 1] = is_used[levels] and scheme_of(levels, set) or nil end
  return list
end

-- The sums of weights that the linears of lists of packed parts are, fewer levels first: { levels, sums }, a sum as
-- { block, sign } for each of its blocks.
function fast.weight_sums(lists)
  local is_used, all = {}, {}
  for _, list in ipairs(lists) do
    for _, linear in ipairs(list.linears) do is_used[linear.levels or 0] = true end
  end
  for levels, scheme in ipairs(bilinear.levels) do
    local of = { levels = levels, terms = scheme.sides, sums = {} }
    for i, sum in ipairs(bilinear.weight_sums(scheme)) do
      of.sums[i] = {}
      for j, term in ipairs(sum) do of.sums[i][j] = { block(term[1], scheme.sides), term[2] } end
    end
    all[#all + 1] = is_used[levels] and of or nil
  end
  return all
end

return fast
