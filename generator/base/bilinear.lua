-- bilinear.lua: schemes that multiply matrices of blocks by fewer products of blocks, as data, and the proof that each
-- computes the product of matrices. Says what sizes it needs, not which linears use it, and holds no C text.
--
-- The rows of a linear are split into blocks a11 a12 / a21 a22, its weights into b11 b12 / b21 b22, its results into
-- c11 c12 / c21 c22. A step is { name, left, sign, right }: name = left + sign * right. Steps of rows and weights use
-- blocks and earlier steps, products use both, and steps of results use products and earlier steps. A scheme may have a
-- `single`: a12 with a11 alone, a row that has no partner, times the same sums of weights.
local bilinear = {}

bilinear.schemes = {
  -- Seven products, 5 + 5 + 8 additions (Strassen 1969). Winograd's scheme has fewer and a larger bound of errors.
  strassen = {
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

local SIDES = { "1", "2" }

-- A table of each name's form: integer factors by the names that it is a sum of. Blocks are forms of themselves.
local function blocks(letter)
  local forms = {}
  for _, i in ipairs(SIDES) do
    for _, j in ipairs(SIDES) do forms[letter .. i .. j] = { [letter .. i .. j] = 1 } end
  end
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

-- The products' forms: factors by pairs of blocks.
local function product_forms(scheme, weight_steps)
  local rows, weights = expand(scheme.rows, blocks("a")), expand(weight_steps, blocks("b"))
  local forms = {}
  for _, product in ipairs(scheme.products) do
    local form = {}
    for a, by_a in pairs(form_of(rows, product[2], product[1])) do
      for b, by_b in pairs(form_of(weights, product[3], product[1])) do form[a .. " " .. b] = by_a * by_b end
    end
    forms[product[1]] = form
  end
  return forms
end

-- Refuses a form of c[i][j] that is not the sum of a[i][k] b[k][j] over k.
local function check_result(form, i, j)
  for _, r in ipairs(SIDES) do
    for _, k in ipairs(SIDES) do
      for _, l in ipairs(SIDES) do
        for _, c in ipairs(SIDES) do
          local pair = ("a%s%s b%s%s"):format(r, k, l, c)
          local found, expected = form[pair] or 0, r == i and k == l and c == j and 1 or 0
          if found ~= expected then
            error(("c%s%s has %d times %s, expected %d"):format(i, j, found, pair, expected), 0)
          end
        end
      end
    end
  end
end

-- Refuses a scheme that does not compute the product of matrices exactly, for all blocks: integers alone, no rounding.
function bilinear.check(scheme)
  local forms = expand(scheme.results, product_forms(scheme, scheme.weights))
  for _, i in ipairs(SIDES) do
    for _, j in ipairs(SIDES) do check_result(form_of(forms, "c" .. i .. j, "the scheme"), i, j) end
  end
  if not scheme.single then return end
  local of_one = expand(scheme.single.results, product_forms(scheme.single, scheme.weights))
  for _, j in ipairs(SIDES) do check_result(form_of(of_one, "c1" .. j, "the single"), "1", j) end
end

-- The sums of weights that products take, in their order: { first, sign, second } by names of blocks; sign: 0 where a
-- product takes one block. Only of schemes whose steps of weights add blocks.
function bilinear.weight_sums(scheme)
  local step_of, list = {}, {}
  for _, step in ipairs(scheme.weights) do step_of[step[1]] = { step[2], step[3], step[4] } end
  for i, product in ipairs(scheme.products) do list[i] = step_of[product[3]] or { product[3], 0, product[3] } end
  return list
end

bilinear.MULTIPLE = 32 -- of inputs and columns, so that halves are whole vectors of every instruction set

-- Whether a linear of so many inputs and columns can be halved.
function bilinear.halves(inputs, columns)
  return inputs % bilinear.MULTIPLE == 0 and columns % bilinear.MULTIPLE == 0
end

-- Adds bounds of the steps' magnitudes to those of what they add.
local function bound_steps(steps, bounds)
  for _, step in ipairs(steps) do bounds[step[1]] = bounds[step[2]] + bounds[step[4]] end
  return bounds
end

-- How much larger than |A| |B| per product of blocks the magnitudes are that join in a result: the factor of Higham's
-- bound of errors at one level (Accuracy and Stability of Numerical Algorithms, 23.2.2).
function bilinear.growth(scheme)
  local one = { a11 = 1, a12 = 1, a21 = 1, a22 = 1, b11 = 1, b12 = 1, b21 = 1, b22 = 1 }
  local bounds = bound_steps(scheme.weights, bound_steps(scheme.rows, one))
  for _, product in ipairs(scheme.products) do bounds[product[1]] = bounds[product[2]] * bounds[product[3]] end
  bound_steps(scheme.results, bounds)
  return math.max(bounds.c11, bounds.c12, bounds.c21, bounds.c22)
end

return bilinear
