-- host_test.lua: the Lua modules of some test models, under LuaJIT or Lua 5.4, which run.lua sets up: host_test.lua
-- FOLDER PROGRAM DIGEST. Oracles: sums written out here in double precision, the program, calls of other kinds.
local files = require "program_files"

local folder, program, digest_path = arg[1], arg[2], arg[3]
local passed, failed, digest = 0, 0, {}

local REVISION = tonumber(files.slurp("runtime/include/genattn/model.h"):match("GA_BITS_REVISION = (%d+)"))

local function check(truth, name, ...)
  if truth then
    passed = passed + 1
  else
    failed = failed + 1
    print("FAIL " .. name .. ": " .. table.concat({ ... }, " "))
  end
end

local function refuses(pattern, name, f, ...)
  local ok, message = pcall(f, ...)
  check(not ok and tostring(message):find(pattern), name, tostring(message))
end

-- Numbers that any Lua makes the same.
local function made_up(seed)
  return function(i) return ((i * 37 + i * i * 11 + seed * 101) % 127 - 63) / 256 end
end

local function rows(module, shape, seed, name)
  local x, number = module.tensor(shape, nil, name or "query"), made_up(seed)
  for i = 1, x.n do x[i] = number(i) end
  return x
end

local function same(a, b)
  for i = 1, a.n do
    if a[i] ~= b[i] then return false end
  end
  return a.n == b.n
end

local function remember(x)
  for i = 1, x.n, 7 do digest[#digest + 1] = ("%.9g"):format(x[i]) end
end

-- A file of weights by the names w_q, w_k, w_v and w_o; shapes: { role, rows, columns }. Returns its path and the
-- tensors' numbers by name.
local function weights(name, shapes, more)
  local path, list, values = ("%s/%s.safetensors"):format(folder, name), {}, {}
  for i, shape in ipairs(shapes) do
    list[#list + 1] = files.tensor("w_" .. shape[1] .. ".weight", "F32", { shape[2], shape[3] }, made_up(i))
    list[#list + 1] = files.tensor("w_" .. shape[1] .. ".bias", "F32", { shape[2] }, made_up(i + 20))
  end
  for _, one in ipairs(more or {}) do list[#list + 1] = one end
  files.write(path, list)
  for _, one in ipairs(list) do values[one.name] = one.values end
  return path, values
end

-- x [rows][columns] of a linear, in double precision: [rows][outs].
local function linear(x, from, count, columns, w, b)
  local y, outs = {}, #b
  for row = 0, count - 1 do
    for out = 0, outs - 1 do
      local sum = b[out + 1]
      for k = 1, columns do sum = sum + x[from + row * columns + k] * w[out * columns + k] end
      y[row * outs + out + 1] = sum
    end
  end
  return y
end

local function near(x, y, n)
  for i = 1, n do
    if math.abs(x[i] - y[i]) > 1e-5 * (1 + math.abs(y[i])) then return false end
  end
  return true
end

-- -- A layer of four widths, with every intermediate ----------------------------------------------------------------

local function sides()
  local module = require "widths_40_4"
  local path, w = weights("sides", { { "q", 36, 40 }, { "k", 18, 24 }, { "v", 18, 33 }, { "o", 21, 36 } })
  local layer = module.load(path)
  local q, k, v = rows(module, { 2, 5, 40 }, 1), rows(module, { 2, 6, 24 }, 2), rows(module, { 2, 6, 33 }, 3)
  check(module.facts.bits_revision == REVISION, "the bits revision", tostring(module.facts.bits_revision))
  local names = { "output", "q_proj", "x_concat", "attention", "k_heads" }
  local all = layer { query = q, key = k, value = v, outputs = names }
  check(near(all.q_proj, linear(q, 0, 10, 40, w["w_q.weight"], w["w_q.bias"]), 360), "q is projected")
  check(near(all.output, linear(all.x_concat, 0, 10, 36, w["w_o.weight"], w["w_o.bias"]), 210), "heads are joined")
  local sum = 0
  for key = 1, 6 do sum = sum + all.attention:at(2, 4, 5, key) end
  check(math.abs(sum - 1) < 1e-6, "attention's weights add up to 1", tostring(sum))
  check(table.concat(all.k_heads.shape, " ") == "2 2 6 9", "the shape of an intermediate", tostring(all.k_heads))
  check(same(layer { query = q, key = k, value = v }, all.output), "the output alone is the same")
  refuses("widths_40_4: value has shape %[2, 5, 33%]; expected %[2, 6, 33%]", "keys and values of other lengths", layer,
    { query = q, key = k, value = rows(module, { 2, 5, 33 }, 3) })
  refuses("outputs names logits; this model gives attention, k_heads", "an output that it lacks", layer,
    { query = q, key = k, value = v, outputs = { "logits" } })
  refuses("there is no argument keys", "an argument that is none", layer, { query = q, keys = k })
  remember(all.output)
end

-- -- A mask, threads, tensors ---------------------------------------------------------------------------------------

local function masks()
  local module = require "additive_mask_40_4"
  local path = weights("added", { { "q", 40, 40 }, { "k", 20, 40 }, { "v", 20, 40 }, { "o", 40, 40 } })
  local layer, spread = module.load(path), module.load(path, { threads = 3 })
  local x = rows(module, { 2, 9, 40 }, 4)
  local plain = layer(x)
  check(same(plain, layer { query = x, mask = module.tensor({ 9, 9 }) }), "zeros as a mask change nothing")
  local mask = module.tensor({ 2, 1, 1, 9 })
  for j = 4, 9 do mask:put(-math.huge, 2, 1, 1, j) end
  local masked = layer { query = x, mask = mask, outputs = { "attention", "output" } }
  check(masked.attention:at(2, 1, 9, 4) == 0 and masked.attention:at(1, 1, 9, 4) > 0, "a mask of one sequence's keys")
  check(same(spread(x), plain), "three threads give the same bits")
  check(same(layer { query = x, q_lengths = { 9, 9 } }, plain), "whole lengths change nothing")
  check(layer { query = x, q_lengths = { 4, 9 } }:at(1, 5, 1) == 0, "rows past a length are zeros")
  local room = module.tensor({ 2, 9, 40 })
  check(layer(x, room) == room and same(room, plain), "a result goes where it is told")
  refuses("mask has shape %[2, 9%]; expected %[2, 4, 9, 9%]", "a mask that does not spread", layer,
    { query = x, mask = module.tensor({ 2, 9 }) })
  refuses("mask is of u8; expected f32", "a mask of another type", layer,
    { query = x, mask = module.tensor({ 9, 9 }, 1, "mask", "u8") })
  refuses("expected a tensor of f32 %[2, 9, 40%]", "room of another shape", layer, x, module.tensor({ 2, 9, 41 }))
  refuses("output overlaps query", "room that is the query", layer, x, x)
  refuses("q_lengths%[0%] is 10", "the library's own words", layer, { query = x, q_lengths = { 10, 1 } })
  refuses("q_len is 91", "a length outside the spec", layer, rows(module, { 1, 91, 40 }, 1))
  remember(masked.output)
end

local function bounds()
  local module = require "additive_mask_40_4"
  local x = module.tensor({ 2, 3 }, { 1, 2, 3, 4, 5, 6 }, "numbers")
  check(x:at(2, 1) == 4 and x[6] == 6 and table.concat(x:values(), " "):gsub("%.0", "") == "1 2 3 4 5 6", "numbers")
  refuses("numbers: index 7 is outside 1..6", "an index after the last", function() return x[7] end)
  refuses("numbers: index 0 is outside 1..6", "an index before the first", function() x[0] = 1 end)
  refuses("numbers: index 1.5 is outside 1..6", "no whole index", function() return x[1.5] end)
  refuses("numbers: index 4 of axis 2 is outside 1..3", "an index of an axis", function() return x:at(1, 4) end)
  refuses("numbers: 1 indices for %[2, 3%]", "too few indices", function() return x:at(1) end)
  refuses("numbers: a tensor has no field size", "a field that is none", function() x.size = 1 end)
  refuses("2 numbers for %[2, 3%]", "too few numbers", function() x:fill({ 1, 2 }) end)
  refuses("shape %[%-1%]", "a shape below zero", module.tensor, { -1 })
  refuses("shape .* is too large", "a shape whose product wraps", module.tensor, { 2 ^ 62, 4 })
  local integer = tonumber("4611686018427387904") -- 2^62, which Lua 5.4 has as an integer
  refuses("shape .* is too large", "the same in integers", module.tensor, { integer, 4 })
end

-- What is in the library's bits is taken, and nothing else; each kind in each place that takes numbers.
local function whole_numbers()
  local module = require "additive_mask_40_4"
  local limits = { i32 = { -2 ^ 31, 2 ^ 31 - 1 }, u8 = { 0, 255 } }
  for kind, ends in pairs(limits) do
    local x = module.tensor({ 2 }, ends, "ids", kind)
    check(x[1] == ends[1] and x[2] == ends[2], "the ends of " .. kind)
    for _, bad in ipairs { ends[1] - 1, ends[2] + 1, 2 ^ 32, 2 ^ 64, 1.5, 0 / 0, math.huge, "1" } do
      local words = "ids: a number is .*; expected %-?%d+%.%.%d+"
      refuses(words, kind .. " by its index", function() x[1] = bad end)
      refuses(words, kind .. " by its place", x.put, x, bad, 1)
      if type(bad) == "number" then refuses(words, kind .. " as all", x.fill, x, bad) end
      refuses(words, kind .. " in an array", module.tensor, { 1 }, { bad }, "ids", kind)
    end
    check(x[1] == ends[1], "numbers that are refused change nothing")
  end
end

-- What has memory of C is freed by Lua alone: no script can do it twice.
local function handles()
  local module = require "additive_mask_40_4"
  local layer = module.load((weights("added", { { "q", 40, 40 }, { "k", 20, 40 }, { "v", 20, 40 }, { "o", 40, 40 } })),
    { threads = 2 })
  for name, held in pairs { packed = layer.packed, frame = layer.frame } do
    if type(held) == "userdata" then
      check(getmetatable(held) == false, "the class of " .. name .. " is hidden")
      refuses(".", name .. " has no __gc that is called", function() held:__gc() end)
    end
  end
  check(layer(rows(module, { 1, 3, 40 }, 1)).n == 120, "and is still there")
end

-- -- Weights --------------------------------------------------------------------------------------------------------

local function loading()
  local module = require "additive_mask_40_4"
  local path = weights("few", { { "q", 40, 40 } })
  refuses("w_k", "a tensor that is missing", module.load, path)
  refuses("No such file", "a file that is not there", module.load, folder .. "/nothing")
  refuses("there is no option thread;", "an option that is none", module.load, path, { thread = 2 })
  for _, count in ipairs { 0, -1, 1.5, 2 ^ 64 + 2 ^ 12, 0 / 0 } do
    refuses("threads is .*; expected a whole number, at least 1", "threads", module.load, path, { threads = count })
  end
  refuses("threads is many", "threads that are no number", module.load, path, { threads = "many" })
  path = weights("added", { { "q", 40, 40 }, { "k", 20, 40 }, { "v", 20, 40 }, { "o", 40, 40 } })
  check(module.load(path, { isa = "scalar" }).isa == "scalar", "an instruction set by name")
  refuses("sse9", "an instruction set that is none", module.load, path, { isa = "sse9" })
end

-- -- Caches ---------------------------------------------------------------------------------------------------------

local function caches()
  local module = require "cache_40_4"
  local layer = module.load((weights("cached", { { "q", 40, 40 }, { "k", 20, 40 }, { "v", 20, 40 }, { "o", 40, 40 } })))
  local x, cache = rows(module, { 1, 6, 40 }, 5), layer:new_cache(1, 20)
  local whole = layer { query = x, cache = cache }
  check(cache:lengths()[1] == 6, "the cache holds what it was given")
  cache:cut(1, 5)
  local last = module.tensor({ 1, 1, 40 })
  for i = 1, 40 do last[i] = x[200 + i] end
  local again, is_same = layer { query = last, cache = cache }, true
  for i = 1, 40 do is_same = is_same and again[i] == whole[200 + i] end
  check(is_same, "the last row again, of a cache that was cut")
  local twin, keys, values = layer:new_cache(2, 20), cache:get(1)
  check(keys.shape[1] == 2 and keys.shape[2] == 6 and keys.shape[3] == 10, "the shape of keys")
  twin:put(2, keys, values)
  local again_keys, again_values = twin:get(2)
  is_same = twin:lengths()[1] == 0 and twin:lengths()[2] == 6
  for i = 1, keys.n do is_same = is_same and keys[i] == again_keys[i] and values[i] == again_values[i] end
  check(is_same, "a sequence that was put where another got it")
  check(twin:get(1).n == 0, "the keys of a sequence that has none")
  refuses("sequence 3 of a cache of 2", "a sequence that is none", twin.get, twin, 3)
  refuses("values is .*; expected a tensor of f32 %[2, 6, 10%]", "values of another shape", twin.put, twin, 1, keys, x)
  refuses("keys is ", "keys that are no tensor", twin.put, twin, 1, {}, values)
  refuses("cache", "a call without the cache", layer, x)
  for _, length in ipairs { 7, -1, 1.5, 2 ^ 53 + 2, 2 ^ 64, 2 ^ 70, math.huge, 0 / 0, "1" } do
    refuses("length is .*; expected 0..6", "a cut at " .. tostring(length), cache.cut, cache, 1, length)
  end
  check(cache:lengths()[1] == 6, "cuts that are refused cut nothing")
  refuses("sequence 2 of a cache of 1", "a cut of a sequence that is none", cache.cut, cache, 2, 0)
  for _, size in ipairs { 0, -1, 1.5, 2 ^ 64 + 2 ^ 12, 0 / 0 } do
    refuses("batch is .*; expected a whole number, at least 1", "a cache of no batch", layer.new_cache, layer, size)
  end
  refuses("does not fit", "a cache of more rows than the model takes", function() layer:new_cache(1, 151) end)
  remember(again)
end

-- -- Token ids, and a whole model -----------------------------------------------------------------------------------

local function tokens()
  local module = require "tokens_96_6"
  local embedding = files.tensor("embedding.weight", "F32", { 61, 96 }, made_up(9))
  local path = weights("tokens", { { "q", 96, 96 }, { "k", 96, 96 }, { "v", 96, 96 }, { "o", 96, 96 } }, { embedding })
  local layer = module.load(path)
  local x = module.tensor({ 1, 3, 96 })
  for row, id in ipairs { 7, 60, 0 } do
    for i = 1, 96 do x:put(embedding.values[id * 96 + i], 1, row, i) end
  end
  check(same(layer { tokens = { { 7, 60, 0 } } }, layer(x)), "ids stand for their rows")
  refuses("tokens%[0%]%[1%] is 61", "an id outside the vocabulary", layer, { tokens = { { 7, 61 } } })
  refuses("a ragged table", "lists of other lengths", layer, { tokens = { { 7, 6 }, { 1 } } })
end

local function whole_model()
  local module = require "transformer_40_2"
  local gap, input, output = folder .. "/both.gap", folder .. "/both_in.safetensors", folder .. "/both_out.safetensors"
  os.execute(("%s pack --allow-random 3 --output %s >/dev/null 2>&1"):format(program, gap))
  files.write(input, { files.tensor("query", "F32", { 2, 4, 40 }, function(i) return made_up(1)(i + 1) end),
    files.tensor("src", "F32", { 2, 5, 40 }, function(i) return made_up(2)(i + 1) end) })
  os.execute(("%s run --weights %s --input %s --output %s >/dev/null 2>&1"):format(program, gap, input, output))
  local model, expected = module.load(gap), files.read(output).output.values
  local given = { query = rows(module, { 2, 4, 40 }, 1), key = rows(module, { 2, 5, 40 }, 2),
    outputs = { "output", "hidden", "memory" }, cache = model:new_cache(2) }
  local all, is_same = model(given), true
  for i = 1, 320 do is_same = is_same and all.output[i] == expected[i] end
  check(is_same, "a transformer gives what the program gives")
  check(#all.hidden == 2 and same(all.hidden[2], all.output) == false or #all.hidden == 2, "rows of each layer")
  check(table.concat(all.memory.shape, " ") == "2 5 40", "what the encoder gave", tostring(all.memory))
  refuses('memory_mask is given, but the model was generated without mask.memory "bool"', "a mask of the memory", model,
    { query = given.query, key = given.key, cache = given.cache,
      memory_mask = module.tensor({ 4, 5 }, 1, "mask", "u8") })
  remember(all.output)
end

-- -- The process ----------------------------------------------------------------------------------------------------

-- Asked twice, as a host with two models does.
local function matrix_registers()
  local allowed = require("tokens_96_6").allow_amx()
  check(type(allowed) == "boolean", "whether the process may use AMX", tostring(allowed))
  check(require("transformer_40_2").allow_amx() == allowed, "the same of another model")
end

-- -- Texts ---------------------------------------------------------------------------------------------------------

local function texts()
  if not package.searchpath("genattn.text_library", package.cpath) then
    print("skipped: texts: ./configure found no utf8proc or no PCRE2")
    return
  end
  dofile("tests/bindings/lua/host_text.lua") { check = check, refuses = refuses, remember = remember, same = same,
    folder = folder, programs = program:match("^(.*)/") }
end

for _, test in ipairs { sides, masks, bounds, whole_numbers, handles, loading, caches, tokens, whole_model,
  matrix_registers, texts } do
  test()
  collectgarbage()
end
local file = assert(io.open(digest_path, "w"))
file:write(table.concat(digest, "\n"), "\n")
file:close()
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0, true)
