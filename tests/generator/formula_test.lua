-- formula_test.lua: the demo's weights formula (demo/formula.h documents it) in Lua, giving the integers that C and
-- Python get. Makes no weights.
local fact = dofile("tests/generator/fact.lua")

local PRIME, STEP, TENSOR = 67108859, 1000003, 1048576

local function integer(tensor, i, r)
  local c = (tensor * TENSOR + i) * STEP % PRIME
  local x = c * c % PRIME * c % PRIME
  return x % (2 * r + 1) - r
end

fact.holds("the formula gives the agreed integers", function()
  local lines = 0
  for line in io.lines("tests/pytorch/formula_values.txt") do
    local tensor, i, r, k = line:match("^(%d+) (%d+) (%d+) (%-?%d+)$")
    fact.equal(integer(tonumber(tensor), tonumber(i), tonumber(r)), tonumber(k))
    lines = lines + 1
  end
  fact.equal(lines, 48)
end)

fact.finish()
