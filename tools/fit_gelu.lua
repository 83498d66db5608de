-- fit_gelu.lua: fits the polynomial of generator/plan/gelu.lua: the tail of the normal distribution over its density's
-- exponential, Q(t) exp(t^2 / 2) for 0 <= t <= 14, in w = (t - 4) / (t + 4), minimax in relative error.
-- lua tools/fit_gelu.lua [DEGREE] prints the coefficients and the error attained; changes no file.
local folder = arg and arg[0] and arg[0]:match("^(.*)fit_gelu%.lua$")
if folder then package.path = folder .. "?.lua;" .. package.path end
local minimax = require "minimax"

local fit = {}

local DEGREE = 9
local SHIFT, FARTHEST = 4, 14 -- beyond 14 the tail is below what floats hold
local SERIES, FRACTION = 2.5, 400

-- Q(t) exp(t^2 / 2): close to zero by the series of the area between 0 and t, else by Laplace's continued fraction.
function fit.tail(t)
  if t < SERIES then
    local term, sum, n = t, t, 1
    while sum + term ~= sum do
      n = n + 2
      term = term * t * t / n
      sum = sum + term
    end
    return math.exp(t * t / 2) / 2 - sum / math.sqrt(2 * math.pi)
  end
  local x = t
  for k = FRACTION, 1, -1 do x = t + k / x end
  return 1 / (x * math.sqrt(2 * math.pi))
end

local function place(t) return (t - SHIFT) / (t + SHIFT) end
local function argument(w) return SHIFT * (1 + w) / (1 - w) end

local TAIL = { target = function(w) return fit.tail(argument(w)) end, low = -1, high = place(FARTHEST) }

function fit.relative_error(coefficients, t)
  return minimax.relative_error(TAIL, coefficients, place(t))
end

-- Coefficients from the constant up, and the largest relative error.
function fit.fit(degree)
  return minimax.fit(TAIL, degree)
end

if folder then minimax.print(TAIL, tonumber(arg[1] or DEGREE)) end

return fit
