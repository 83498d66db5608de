-- layer.lua: one attention layer from Lua, LuaJIT or 5.4: weights from a file, a call, lengths, an index outside.
-- LUA_PATH="out/lua/?.lua" LUA_CPATH="out/lua/?.so" luajit examples/layer.lua WEIGHTS
local mha = require "mha_512_8"

local layer = mha.load(arg[1], { threads = 2 })
local x = mha.tensor({ 1, 20, 512 }, nil, "x") -- zeros of [batch][rows][d_model]
for i = 1, x.n do x[i] = (i - 1) % 7 - 3 end

local y = layer(x)
print(("the output's first row begins with %.4f %.4f %.4f"):format(y[1], y[2], y[3]))

local short = layer { query = x, q_lengths = { 12 } }
print(("rows past a length are zeros: %g"):format(short:at(1, 13, 1)))

local _, message = pcall(function() return x[x.n + 1] end)
print((message:gsub("^.-: ", "")))
