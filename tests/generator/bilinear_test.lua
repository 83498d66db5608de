-- bilinear_test.lua: schemes of fewer products compute the product of matrices, and one with any wrong sign is refused.
local fact = dofile("tests/generator/fact.lua")
local bilinear = require "base.bilinear"

-- Another scheme of seven products, with 4 + 4 + 7 additions (Winograd 1971): the proof is not of one scheme alone.
local WINOGRAD = {
  sides = 2,
  rows = { { "s1", "a21", 1, "a22" }, { "s2", "s1", -1, "a11" }, { "s3", "a11", -1, "a21" },
    { "s4", "a12", -1, "s2" } },
  weights = { { "t1", "b12", -1, "b11" }, { "t2", "b22", -1, "t1" }, { "t3", "b22", -1, "b12" },
    { "t4", "t2", -1, "b21" } },
  products = { { "p1", "a11", "b11" }, { "p2", "a12", "b21" }, { "p3", "s4", "b22" }, { "p4", "a22", "t4" },
    { "p5", "s1", "t1" }, { "p6", "s2", "t2" }, { "p7", "s3", "t3" } },
  results = { { "u2", "p1", 1, "p6" }, { "u3", "u2", 1, "p7" }, { "u4", "u2", 1, "p5" },
    { "c11", "p1", 1, "p2" }, { "c12", "u4", 1, "p3" }, { "c21", "u3", -1, "p4" }, { "c22", "u3", 1, "p5" } },
}

local function each(f)
  f(bilinear.schemes.strassen, "strassen", 7)
  f(WINOGRAD, "winograd", 7)
  f(bilinear.schemes.strassen_twice, "strassen twice", 49)
  f(bilinear.nested(bilinear.schemes.strassen, WINOGRAD, 1), "winograd in strassen", 49)
end

fact.holds("each scheme has so many products and is the product of matrices", function()
  each(function(scheme, _, products)
    assert(#scheme.products == products)
    bilinear.check(scheme)
  end)
end)

fact.holds("a scheme with any sign changed is refused", function()
  each(function(scheme, name)
    for _, list in ipairs({ "rows", "weights", "results" }) do
      for i, step in ipairs(scheme[list]) do
        step[3] = -step[3]
        local passed = pcall(bilinear.check, scheme)
        step[3] = -step[3]
        assert(not passed, ("%s: %s[%d]"):format(name, list, i))
      end
    end
  end)
end)

-- Products `of` a scheme, or of its single, with the weights of one exchanged.
local function exchange(scheme, of, name)
  for i, product in ipairs(of.products) do
    local other = of.products[i % #of.products + 1]
    product[3], other[3] = other[3], product[3]
    local passed = pcall(bilinear.check, scheme)
    product[3], other[3] = other[3], product[3]
    assert(not passed, ("%s: product %d"):format(name, i))
  end
end

fact.holds("a scheme with any factor of a product exchanged is refused", function()
  each(function(scheme, name)
    exchange(scheme, scheme, name)
    if scheme.single then exchange(scheme, scheme.single, name .. ", single") end
  end)
end)

fact.holds("a product of single rows with any sign changed is refused", function()
  for _, scheme in ipairs(bilinear.levels) do
    for _, list in ipairs({ "rows", "results" }) do
      for i, step in ipairs(scheme.single[list]) do
        step[3] = -step[3]
        local passed = pcall(bilinear.check, scheme)
        step[3] = -step[3]
        assert(not passed, ("single: %s[%d]"):format(list, i))
      end
    end
  end
end)

fact.holds("a refusal names the result, the factor that was found and the one that was expected", function()
  local step = bilinear.schemes.strassen.results[6]
  step[3] = -step[3]
  local _, message = pcall(bilinear.check, bilinear.schemes.strassen)
  step[3] = -step[3]
  assert(message:find("^c12 has %-?%d times a%d%d b%d%d, expected %d$"), message)
end)

fact.holds("a step that uses a later one is refused by name", function()
  local rows = WINOGRAD.rows
  rows[1], rows[2] = rows[2], rows[1]
  local _, message = pcall(bilinear.check, WINOGRAD)
  rows[1], rows[2] = rows[2], rows[1]
  assert(message == "s2 uses s1, which is not an earlier step", message)
end)

fact.holds("the growth of errors is Higham's: 12 for Strassen's scheme, its square for two levels, 18 for Winograd's",
  function()
  assert(bilinear.growth(bilinear.schemes.strassen) == 12)
  assert(bilinear.growth(bilinear.schemes.strassen_twice) == 144)
  assert(bilinear.growth(WINOGRAD) == 18)
end)

fact.holds("a linear is split as often as whole vectors of its inputs and columns allow", function()
  assert(bilinear.levels_of(64, 128, 2) == 2 and bilinear.levels_of(64, 128, 1) == 1)
  assert(bilinear.levels_of(96, 64, 2) == 1 and bilinear.levels_of(64, 32, 2) == 1)
  assert(bilinear.levels_of(64, 48, 2) == nil)
end)

fact.holds("steps come as late as what is wanted allows, each once", function()
  local seen, steps = {}, { { "s", "x", 1, "y" }, { "t", "s", -1, "z" } }
  local function sees(name, step) seen[#seen + 1] = step and name .. "=" or name end
  bilinear.in_order(steps, { "y", "t", "t" }, sees, function(name) seen[#seen + 1] = "!" .. name end)
  fact.equal(table.concat(seen, " "), "y !y x s= z t= !t !t")
end)

fact.finish()
