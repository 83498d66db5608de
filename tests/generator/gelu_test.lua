-- gelu_test.lua: the polynomial of gelu is the one tools/fit_gelu.lua finds, and fits the tail it stands for.
-- Measures the polynomial in doubles; what float arithmetic adds is for tests of the kernels.
package.path = "tools/?.lua;" .. package.path
local fact = dofile("tests/generator/fact.lua")
local fmt = require "base.fmt"
local coefficients = require "plan.gelu"
local fit = require "fit_gelu"

local STEPS = 20000

fact.holds("the tail is the normal distribution's", function()
  fact.equal(fit.tail(0), 0.5)
  -- erfc(t / sqrt(2)) exp(t^2 / 2) / 2, from tables.
  for t, value in pairs({ [0.5] = 0.349618834720398, [2.4] = 0.14603314436044, [2.6] = 0.136902686560649,
    [5] = 0.0769193049750065, [14] = 0.0283526605273429 }) do
    assert(math.abs(fit.tail(t) / value - 1) < 1e-13, t)
  end
end)

fact.holds("the constants are the fit's, as floats", function()
  local fitted = fit.fit(#coefficients - 1)
  fact.equal(#fitted, #coefficients)
  for i, c in ipairs(coefficients) do fact.equal(fmt.f32(c), fmt.f32(fitted[i])) end
end)

fact.holds("the polynomial is within an eighth of a unit of a float's last place", function()
  local largest = 0
  for i = 0, STEPS do
    largest = math.max(largest, math.abs(fit.relative_error(coefficients, i / STEPS * 14)))
  end
  assert(largest < 2 ^ -26, largest)
  assert(largest > 1.43e-8, largest)
end)

fact.finish()
