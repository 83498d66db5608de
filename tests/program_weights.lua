-- program_weights.lua: weights as they come: in shards, of other floating-point types, with more in them than a model
-- takes; a part of program_test.lua. What a loader refuses is in tests/support/malformed.h; here only that it is asked.
local files = require "program_files"
local tensor = files.tensor

local D = 8 -- of the fixture

local function identity(i) return i % (D + 1) == 0 and 1 or 0 end

-- The fixture's weights, whose output rows are the mean of the keys' rows; of a type, with something else at the end.
local function list_of(dtype, extra)
  local list = { tensor("embedding.weight", dtype, { 10, D }, function(i) return math.floor(i / D) end) }
  for _, name in ipairs { "w_q", "w_k", "w_v", "w_o" } do
    local whole = name == "w_v" or name == "w_o"
    list[#list + 1] = tensor(name .. ".weight", dtype, { D, D }, whole and identity or 0)
    list[#list + 1] = tensor(name .. ".bias", dtype, { D }, 0)
  end
  list[#list + 1] = extra
  return list
end

-- path, expect_run, expect: program_test.lua's.
return function(path, expect_run, expect)
  local RUN = "run --input %in --output %result --weights "

  local function write_text(name, text)
    local out = assert(io.open(path(name), "wb"))
    out:write(text)
    out:close()
  end

  -- A folder as Hugging Face saves it: two shards of BF16, and their index.
  local function write_shards()
    assert(os.execute("mkdir -p " .. path "hub"))
    local shards, entries = { {}, {} }, {}
    for i, weight in ipairs(list_of("BF16")) do
      local shard = shards[i % 2 + 1]
      shard[#shard + 1] = weight
      entries[i] = ('"%s": "model-%05d-of-00002.safetensors"'):format(weight.name, i % 2 + 1)
    end
    for i, shard in ipairs(shards) do files.write(path(("hub/model-%05d-of-00002.safetensors"):format(i)), shard) end
    write_text("hub/model.safetensors.index.json",
      '{"metadata": {}, "weight_map": {\n' .. table.concat(entries, ",\n") .. "}}\n")
  end

  local function test_types(expected)
    for _, dtype in ipairs { "F16", "BF16", "F64" } do
      files.write(path "typed", list_of(dtype))
      expect_run(0, RUN .. "%typed")
      expect(files.slurp(path "result") == expected, "weights of %s give other bytes than of F32", dtype)
      expect_run(0, "inspect %typed", "w_q.weight        " .. ("%-4s"):format(dtype) .. "  [8, 8]", "layout w_o")
    end
    files.write(path "typed", list_of("I32"))
    expect_run(1, RUN .. "%typed", "is I32; map 'w_o' expects F32, F16, BF16 or F64")
  end

  local function test_shards(expected)
    write_shards()
    for _, weights in ipairs { "%hub", "%hub/model.safetensors.index.json" } do
      expect_run(0, RUN .. weights)
      expect(files.slurp(path "result") == expected, "shards give other bytes than one file")
      expect_run(0, "inspect " .. weights, "9 tensors, 736 bytes", "weights of fixture, layout w_o")
    end
    expect_run(2, "pack --weights %hub --output %hub/model-00002-of-00002.safetensors", "would replace what --weights ")
    expect_run(0, "pack --weights %hub --output %hub/packed.gap")
    expect_run(0, "pack --weights %hub --output %hub/packed.gap")
    assert(os.remove(path "hub/model-00002-of-00002.safetensors"))
    expect_run(1, RUN .. "%hub", "model.safetensors.index.json: tensor '", "is missing; expected it beside the index")
    expect_run(1, RUN .. "%nowhere", "cannot open: No such file")
  end

  local function test_checks()
    files.write(path "more", list_of("F32", tensor("pooler.weight", "F32", { 1 }, 0 / 0)))
    expect_run(0, RUN .. "%more --weights-check finite")
    expect_run(1, RUN .. "%more --weights-check strict", "tensor 'pooler.weight'", "map 'w_o' takes nothing from")
    expect_run(1, RUN .. "%more --weights-check finite,strict", "takes nothing from")
    local list = list_of("F32")
    list[2].values[3] = 0 / 0
    files.write(path "nan", list)
    expect_run(0, RUN .. "%nan --weights-check strict")
    expect_run(1, RUN .. "%nan --weights-check strict,finite", "tensor 'w_q.weight'", "element 2 of 64 is nan")
    expect_run(2, RUN .. "%nan --weights-check finit", "--weights-check finit: expected strict, finite")
    expect_run(2, RUN .. "%nan --weights-check ''", '--weights-check "": expected strict, finite')
    expect_run(2, "run --input %in --output %result --allow-random 1 --weights-check finite", "random reads none")
  end

  files.write(path "in", { tensor("query", "F32", { 4, D }, function(i) return math.floor(i / D) end) })
  files.write(path "typed", list_of("F32"))
  expect_run(0, RUN .. "%typed")
  local expected = files.slurp(path "result")
  test_types(expected)
  test_shards(expected)
  test_checks()
end
