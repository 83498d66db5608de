-- call.lua: times calls of the layer from Lua, as call.c does from C: call.lua WEIGHTS CALLS WAY. WAY is "given", where
-- a tensor for the result is given as in C, or "made", where each call makes one.
local layer_of = require "bound_128_4"

local calls, way = tonumber(arg[2]), arg[3]
local layer, x = layer_of.load(arg[1]), layer_of.tensor({ 1, 16, 128 })
local y, took = way == "given" and layer_of.tensor({ 1, 16, 128 }) or nil, {}
for i = 1, x.n do x[i] = (i - 1) % 13 - 6 end
for round = 1, 201 do
  local start = os.clock() -- of the process, which does nothing else
  for _ = 1, calls do layer(x, y) end
  took[round] = (os.clock() - start) / calls * 1e9
end
table.sort(took)
print(("%.0f"):format(took[1]))
