-- fit_exp2.lua: fits the polynomial of generator/plan/exp2.lua: 2^f on [-1/2, 1/2], minimax in relative error.
-- lua tools/fit_exp2.lua [DEGREE] prints the coefficients and the error attained; changes no file.
local folder = arg and arg[0] and arg[0]:match("^(.*)fit_exp2%.lua$")
if folder then package.path = folder .. "?.lua;" .. package.path end
local minimax = require "minimax"

local fit = { hex = minimax.hex }

local DEGREE = 6
local EXP2 = { target = function(x) return 2 ^ x end, low = -0.5, high = 0.5 }

function fit.relative_error(coefficients, x)
  return minimax.relative_error(EXP2, coefficients, x)
end

-- Coefficients from the constant up, and the largest relative error.
function fit.fit(degree)
  return minimax.fit(EXP2, degree)
end

if folder then minimax.print(EXP2, tonumber(arg[1] or DEGREE)) end

return fit
