-- plan/powers.lua: the coefficients of 2^f (plan/exp2.lua) as the kernels of one instruction set take them.
local coefficients = require "plan.exp2"

-- exact: of 2^f; scaled: the same divided by what the set's helper multiplies a power by; one: 1 divided by it.
return function(set)
  local one, scaled = 2 ^ -set.scale_shift, {}
  for i, c in ipairs(coefficients) do scaled[i] = c * one end
  return { exact = coefficients, scaled = scaled, one = one }
end
