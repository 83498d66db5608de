-- bilinear.lua: schemes that multiply matrices of blocks by fewer products of blocks, as data, and the proof that each
-- computes the product of matrices. Says what sizes it needs, not which linears use it, and holds no C text.
--
-- The rows of a linear are split into blocks a11 a12 / a21 a22, its weights into b11 b12 / b21 b22, its results into
-- c11 c12 / c21 c22; a scheme of two levels has four by four of each. A step is { name, left, sign, right }: name =
-- left + sign * right. Steps of rows and weights use blocks and earlier steps, products use both, and steps of results
-- use products and earlier steps. A scheme may have a `single`: the blocks a1. alone, a row that has no partner, times
-- the same sums of weights.
local bilinear = {}

bilinear.schemes = {
  -- Seven products, 5 + 5 + 8 additions (Strassen 1969). Winograd's scheme has fewer and a larger bound of errors.
  strassen = {
    sides = 2,
    paired_rows = 32, -- of a sequence, from which on pairs pay: fewer are multiplied as singles
    rows = { { "s1", "a11", 1, "a22" }, { "s2", "a21", 1, "a22" }, { "s3", "a11", 1, "a12" },
      { "s4", "a21", -1, "a11" }, { "s5", "a12", -1, "a22" } },
    weights = { { "t1", "b11", 1, "b22" }, { "t2", "b12", -1, "b22" }, { "t3", "b21", -1, "b11" },
      { "t4", "b11", 1, "b12" }, { "t5", "b21", 1, "b22" } },
    products = { { "p1", "s1", "t1" }, { "p2", "s2", "b11" }, { "p3", "a11", "t2" }, { "p4", "a22", "t3" },
      { "p5", "s3", "b22" }, { "p6", "s4", "t4" }, { "p7", "s5", "t5" } },
    results = { { "u1", "p1", 1, "p7" }, { "u2", "p4", -1, "p5" }, { "u3", "p1", -1, "p2" }, { "u4", "p3", 1, "p6" },
      { "c11", "u1", 1, "u2" }, { "c12", "p3", 1, "p5" }, { "c21", "p2", 1, "p4" }, { "c22", "u3", 1, "u4" } },
    single = {
      rows = { { "s1", "a11", 1, "a12" } },
      products = { { "p1", "s1", "b11" }, { "p2", "a12", "t3" }, { "p3", "a11", "t2" }, { "p4", "s1", "b22" } },
      results = { { "c11", "p1", 1, "p2" }, { "c12", "p3", 1, "p4" } },
    },
  },
}

-- The names of a letter's blocks, row by row.
local function block_names(letter, sides)
  local names = {}
  for i = 1, sides do
    for j = 1, sides do names[#names + 1] = letter .. i .. j end
  end
  return names
end

-- A table of each name's form: integer factors by the names that it is a sum of. Blocks are forms of themselves.
local function blocks(letter, sides)
  local forms = {}
  for _, name in ipairs(block_names(letter, sides)) do forms[name] = { [name] = 1 } end
  return forms
end

local function form_of(forms, name, by)
  return forms[name] or error(("%s uses %s, which is not an earlier step"):format(by, name), 0)
end

-- into += factor * form.
local function add(into, factor, form)
  for name, count in pairs(form) do into[name] = (into[name] or 0) + factor * count end
end

-- Adds the forms of steps to those that they start from.
local function expand(steps, forms)
  for _, step in ipairs(steps) do
    local name, left, sign, right = step[1], step[2], step[3], step[4]
    local form = {}
    add(form, 1, form_of(forms, left, name))
    add(form, sign, form_of(forms, right, name))
    forms[name] = form
  end
  return forms
end

-- The forms of products `of` a scheme, or of its single: factors by pairs of blocks.
local function product_forms(scheme, of)
  local rows, weights = expand(of.rows, blocks("a", scheme.sides)), expand(scheme.weights, blocks("b", scheme.sides))
  local forms = {}
  for _, product in ipairs(of.products) do
    local form = {}
    for a, by_a in pairs(form_of(rows, product[2], product[1])) do
      for b, by_b in pairs(form_of(weights, product[3], product[1])) do form[a .. " " .. b] = by_a * by_b end
    end
    forms[product[1]] = form
  end
  return forms
end

-- Refuses a form of c[i][j] that is not the sum of a[i][k] b[k][j] over k.
local function check_result(form, sides, i, j)
  for at = 0, sides ^ 4 - 1 do
    local r, k, l, c = at % sides + 1, math.floor(at / sides) % sides + 1, math.floor(at / sides ^ 2) % sides + 1,
      math.floor(at / sides ^ 3) + 1
    local pair = ("a%d%d b%d%d"):format(r, k, l, c)
    local found, expected = form[pair] or 0, r == i and k == l and c == j and 1 or 0
    if found ~= expected then
      error(("c%d%d has %d times %s, expected %d"):format(i, j, found, pair, expected), 0)
    end
  end
end

-- Refuses a scheme that does not compute the product of matrices exactly, for all blocks: integers alone, no rounding.
function bilinear.check(scheme)
  local parts = { { scheme, scheme.sides, "the scheme" }, scheme.single and { scheme.single, 1, "the single" } }
  for _, part in ipairs(parts) do
    local forms = expand(part[1].results, product_forms(scheme, part[1]))
    for i = 1, part[2] do
      for j = 1, scheme.sides do
        check_result(form_of(forms, ("c%d%d"):format(i, j), part[3]), scheme.sides, i, j)
      end
    end
  end
end

-- The sums of weights that products take, in their order: lists of { block, sign }, in the order of their additions.
-- A sum of sums is the blocks of the left one, then those of the right one.
function bilinear.weight_sums(scheme)
  local terms, list = {}, {}
  for _, name in ipairs(block_names("b", scheme.sides)) do terms[name] = { { name, 1 } } end
  for _, step in ipairs(scheme.weights) do
    local sum = {}
    for _, term in ipairs(terms[step[2]]) do sum[#sum + 1] = term end
    for _, term in ipairs(terms[step[4]]) do sum[#sum + 1] = { term[1], step[3] * term[2] } end
    terms[step[1]] = sum
  end
  for i, product in ipairs(scheme.products) do list[i] = terms[product[3]] end
  return list
end

-- Steps in the order in which the `wanted` names need them, each as late as it can be; sees(name, step) is called for
-- each step, and with nil for each name that no step makes, when it is first needed; wants(name) after each wanted one.
function bilinear.in_order(steps, wanted, sees, wants)
  local step_of, is_seen = {}, {}
  for _, step in ipairs(steps) do step_of[step[1]] = step end
  local function need(name)
    if is_seen[name] then return end
    is_seen[name] = true
    local step = step_of[name]
    if step then
      need(step[2])
      need(step[4])
    end
    sees(name, step)
  end
  for _, name in ipairs(wanted) do
    need(name)
    wants(name)
  end
end

-- -- Levels -----------------------------------------------------------------------------------------------------------

-- The block of a name, as two numbers; nil of a step or a product.
local function block_of(name)
  local i, j = name:match("^[abc](%d)(%d)$")
  return tonumber(i), tonumber(j)
end

-- What an outer and an inner name are together: a block, or a name of its own.
local function joined(outer, inner, inner_sides)
  local i, j = block_of(outer)
  local k, l = block_of(inner)
  if i and k then return outer:sub(1, 1) .. (i - 1) * inner_sides + k .. (j - 1) * inner_sides + l end
  return outer .. "_" .. inner
end

-- Steps of blocks of blocks: the outer steps of each inner block, and the inner steps of each of `within`. The outer
-- ones come first where `is_outer_first`.
local function joined_steps(outer, inner_blocks, within, inner, sides, is_outer_first)
  local of_outer, of_inner, list = {}, {}, {}
  local function join(step, name) return joined(step, name, sides) end
  for _, step in ipairs(outer) do
    for _, block in ipairs(inner_blocks) do
      of_outer[#of_outer + 1] = { join(step[1], block), join(step[2], block), step[3], join(step[4], block) }
    end
  end
  for _, name in ipairs(within) do
    for _, step in ipairs(inner) do
      of_inner[#of_inner + 1] = { join(name, step[1]), join(name, step[2]), step[3], join(name, step[4]) }
    end
  end
  for _, steps in ipairs(is_outer_first and { of_outer, of_inner } or { of_inner, of_outer }) do
    for _, step in ipairs(steps) do list[#list + 1] = step end
  end
  return list
end

-- The names in a field of products, each once.
local function names_in(products, field)
  local list, is_listed = {}, {}
  for _, product in ipairs(products) do
    local name = product[field]
    list[#list + 1] = not is_listed[name] and name or nil
    is_listed[name] = true
  end
  return list
end

-- The rows, products and results of two parts of schemes, one in the blocks of the other.
local function joined_part(outer, inner, rows, sides)
  local products = {}
  for _, o in ipairs(outer.products) do
    for _, i in ipairs(inner.products) do
      products[#products + 1] = { o[1] .. "_" .. i[1], joined(o[2], i[2], sides), joined(o[3], i[3], sides) }
    end
  end
  local function some_blocks(letter)
    local names = {}
    for i, name in ipairs(block_names(letter, sides)) do names[i] = i <= rows * sides and name or nil end
    return names
  end
  return {
    rows = joined_steps(outer.rows, some_blocks("a"), names_in(outer.products, 2), inner.rows, sides, true),
    products = products,
    results = joined_steps(outer.results, some_blocks("c"), names_in(outer.products, 1), inner.results, sides, false),
  }
end

-- A scheme of two levels: each product of blocks of the outer one by the inner one. paired_rows: as in a scheme.
function bilinear.nested(outer, inner, paired_rows)
  local sides = inner.sides
  local scheme = joined_part(outer, inner, sides, sides)
  scheme.sides, scheme.paired_rows = outer.sides * sides, paired_rows
  scheme.weights = joined_steps(outer.weights, block_names("b", sides), names_in(outer.products, 3), inner.weights,
    sides, true)
  scheme.single = outer.single and inner.single and joined_part(outer.single, inner.single, 1, sides)
  return scheme
end

bilinear.schemes.strassen_twice = bilinear.nested(bilinear.schemes.strassen, bilinear.schemes.strassen, 64)

-- By levels.
bilinear.levels = { bilinear.schemes.strassen, bilinear.schemes.strassen_twice }

local WIDEST = 16 -- floats of the widest vector: parts are whole vectors of every instruction set

-- What inputs and columns must be multiples of, to be split so often.
function bilinear.multiple(levels)
  return WIDEST * bilinear.levels[levels].sides
end

-- How often a linear of so many inputs and columns can be split, at most `most` times; nil where it cannot.
function bilinear.levels_of(inputs, columns, most)
  for levels = most, 1, -1 do
    local multiple = bilinear.multiple(levels)
    if inputs % multiple == 0 and columns % multiple == 0 then return levels end
  end
end

-- Adds bounds of the steps' magnitudes to those of what they add.
local function bound_steps(steps, bounds)
  for _, step in ipairs(steps) do bounds[step[1]] = bounds[step[2]] + bounds[step[4]] end
  return bounds
end

-- How much larger than |A| |B| per product of blocks the magnitudes are that join in a result: the factor of Higham's
-- bound of errors (Accuracy and Stability of Numerical Algorithms, 23.2.2), 12 to the power of the levels.
function bilinear.growth(scheme)
  local bounds, largest = {}, 0
  for _, letter in ipairs({ "a", "b" }) do
    for _, name in ipairs(block_names(letter, scheme.sides)) do bounds[name] = 1 end
  end
  bound_steps(scheme.weights, bound_steps(scheme.rows, bounds))
  for _, product in ipairs(scheme.products) do bounds[product[1]] = bounds[product[2]] * bounds[product[3]] end
  bound_steps(scheme.results, bounds)
  for _, name in ipairs(block_names("c", scheme.sides)) do largest = math.max(largest, bounds[name]) end
  return largest
end

return bilinear
