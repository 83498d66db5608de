-- exp2_test.lua: the polynomial of every exponential is the one tools/fit_exp2.lua finds, and keeps 2^0 exact.
-- Measures the polynomial in doubles; what float arithmetic adds is for tests of the kernels.
package.path = "tools/?.lua;" .. package.path
local fact = dofile("tests/generator/fact.lua")
local compat = require "base.compat"
local fmt = require "base.fmt"
local coefficients = require "plan.exp2"
local fit = require "fit_exp2"

local STEPS = 100000

-- The float nearest to x, as a double.
local function f32(x)
  local unit = 2 ^ -23
  while x < unit * 2 ^ 23 do unit = unit / 2 end
  return math.floor(x / unit + 0.5) * unit
end

local function largest_error(polynomial)
  local largest = 0
  for i = 0, STEPS do
    largest = math.max(largest, math.abs(fit.relative_error(polynomial, i / STEPS - 0.5)))
  end
  return largest
end

fact.holds("the constants are the fit's, as floats", function()
  local fitted = fit.fit(#coefficients - 1)
  fact.equal(#fitted, #coefficients)
  for i, c in ipairs(coefficients) do fact.equal(fmt.f32(c), fmt.f32(fitted[i])) end
end)

fact.holds("the fit's error is level: no other polynomial of the degree has a smaller one", function()
  local fitted, claimed = fit.fit(6)
  local measured = largest_error(fitted)
  assert(math.abs(measured / claimed - 1) < 1e-4, measured)
  assert(claimed > 1.85e-9 and claimed < 1.86e-9, claimed)
  -- As many alternations as the theorem asks for: degree + 2.
  local signs, last = 0, nil
  for i = 0, STEPS do
    local e = fit.relative_error(fitted, i / STEPS - 0.5)
    if math.abs(e) > 0.999 * claimed and (e > 0) ~= last then signs, last = signs + 1, e > 0 end
  end
  fact.equal(signs, 8)
end)

fact.holds("moving any coefficient makes it worse", function()
  local fitted, claimed = fit.fit(6)
  for i = 1, #fitted do
    for _, factor in ipairs({ 1 - 1e-7, 1 + 1e-7 }) do
      local moved = {}
      for j, c in ipairs(fitted) do moved[j] = j == i and c * factor or c end
      assert(largest_error(moved) > claimed * (1 + 1e-6), i)
    end
  end
end)

fact.holds("rounded to floats it is within half a unit of a float's last place, and 2^0 is exact", function()
  local rounded = {}
  for i, c in ipairs(coefficients) do rounded[i] = f32(c) end
  fact.equal(rounded[1], 1)
  assert(largest_error(rounded) < 2 ^ -24, largest_error(rounded))
end)

fact.holds("degree 5 would not keep 2^0 exact", function()
  fact.equal(f32(fit.fit(5)[1]), 1 + 2 ^ -23)
end)

fact.holds("hex floats read back", function()
  fact.equal(fit.hex(1), "0x1p0")
  fact.equal(fit.hex(0.75), "0x1.8p-1")
  fact.equal(fit.hex(10), "0x1.4p3")
  for _, c in ipairs(coefficients) do fact.equal(tonumber(fit.hex(c)), c) end
end)

fact.holds("the tool prints the same under both Luas", function()
  local first
  for _, lua in ipairs({ "lua5.4", "luajit" }) do
    local output, code = compat.capture(lua .. " tools/fit_exp2.lua")
    if code == 127 then
      print("skipped: no " .. lua)
    else
      fact.equal(code, 0)
      first = first or output
      fact.equal(output, first)
    end
  end
  fact.contains(first, "largest relative error 1.856e-09")
end)

fact.finish()
