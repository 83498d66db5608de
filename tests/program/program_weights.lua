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
    expect_run(1, RUN .. "%hub", "model.safetensors.index.json: tensor '", "is missing; expected it in the folder")
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

  -- The weights of a layer of a whole model: in the file their names come after a prefix, the embedding's does not.
  local function test_prefix(expected)
    local list = {}
    for _, prefix in ipairs { "h.0.attn.", "h.1.attn." } do
      for i, weight in ipairs(list_of("F32")) do
        local is_beside = weight.name == "embedding.weight"
        if is_beside and prefix == "h.0.attn." then list[#list + 1] = weight end
        if not is_beside then
          weight.name = prefix .. weight.name
          list[#list + 1] = weight
        end
        if prefix == "h.0.attn." and i > 1 then weight.values = { 9 } end
      end
    end
    for _, weight in ipairs(list) do
      local count = 1
      for _, axis in ipairs(weight.shape) do count = count * axis end
      for i = #weight.values + 1, count do weight.values[i] = weight.values[1] end
    end
    files.write(path "whole", list)
    expect_run(0, RUN .. "%whole --weights-prefix h.1.attn.")
    expect(files.slurp(path "result") == expected, "a layer after a prefix gives other bytes")
    expect_run(0, RUN .. "%whole --weights-prefix h.0.attn.")
    expect(files.slurp(path "result") ~= expected, "another layer gives the same bytes")
    expect_run(1, RUN .. "%whole", "no tensor 'w_q.weight'", "it has all that map 'w_o' takes after 'h.0.attn.' " ..
      "(the first of 2 such prefixes): say --weights-prefix, or weights_prefix in the spec")
    expect_run(1, RUN .. "%whole --weights-prefix h.2.attn.", "no tensor 'h.2.attn.w_q.weight'", "after 'h.0.attn.'")
    expect_run(0, "pack --weights %whole --weights-prefix h.1.attn. --output %whole.gap")
    expect_run(0, RUN .. "%whole.gap")
    expect(files.slurp(path "result") == expected, "a layer after a prefix, packed, gives other bytes")
    expect_run(2, RUN .. "%whole.gap --weights-prefix h.1.attn.", "whole.gap is packed and has none")
    expect_run(2, "draw --allow-random 1 --input %in --output %drawn.svg --weights-prefix a.", "random reads none")
  end

  files.write(path "in", { tensor("query", "F32", { 4, D }, function(i) return math.floor(i / D) end) })
  files.write(path "typed", list_of("F32"))
  expect_run(0, RUN .. "%typed")
  local expected = files.slurp(path "result")
  test_types(expected)
  test_shards(expected)
  test_checks()
  test_prefix(expected)
end
