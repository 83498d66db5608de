-- embed.lua: vectors of texts from Lua, LuaJIT or 5.4: how near each of three texts is to a question, and the tokens of
-- the question. A tokenizer.json lies beside the weights.
-- LUA_PATH="out/lua/?.lua" LUA_CPATH="out/lua/?.so" luajit examples/embed.lua WEIGHTS
local encoder = require "encoder"

local model = encoder.load(arg[1], { threads = 2 })
local texts = { "the cat sat on the mat", "a dog", "the cats" }
local question = "The cats?"

local vectors = model:encode(texts) -- a tensor [texts, d_model]
local asked = model:encode(question) -- [d_model]
for row, text in ipairs(texts) do
  local cosine = 0 -- the vectors of this model have length 1
  for i = 1, asked.n do cosine = cosine + vectors:at(row, i) * asked[i] end
  print(("%.3f  %s"):format(cosine, text))
end

local found = model.tokenizer:encode(question)
for i, token in ipairs(found.tokens) do
  print(("%3d  %-5s  from %d to %d"):format(found.ids[i], token, found.offsets:at(i, 1), found.offsets:at(i, 2)))
end
print(model.tokenizer:decode(found.ids))
