-- program_layers.lua: what the command line gives of one layer of a whole model: its attention as a tensor and as a
-- picture. Against program_stack_fixture.c, where a row gives all its weight to one key that its layer says.

local files = require "program_files"
local tensor = files.tensor

local D, HEADS = 8, 2

return function(path, expect_run, expect_values, expect, flaw)
  local RUN = "run --weights %weights --input %in --output %result --outputs "
  local DRAW = "draw --weights %weights --input %in --output %map.svg"

  local function write(...) files.write(path "in", { ... }) end

  -- Element i of the attention of a layer over sequences of so many rows, of which some are real.
  local function weight(layer, rows, real)
    return function(i)
      local key, row = i % rows, math.floor(i / rows) % rows
      local head, sequence = math.floor(i / rows / rows) % HEADS, math.floor(i / rows / rows / HEADS)
      local seen = head == 1 and row or math.max(0, row - layer)
      return row < real[sequence + 1] and key == seen and 1 or 0
    end
  end

  local function test_tensors()
    write(tensor("x", "F32", { 2, 4, D }, 1), tensor("lengths", "I32", { 2 }, { 4, 2 }))
    expect_run(0, RUN .. "attention_1", path "result" .. ": attention_1 F32 [2, 2, 4, 4]")
    local found = files.read(path "result")
    expect_values("attention_1", found.attention_1, "2,2,4,4", weight(1, 4, { 4, 2 }))
    expect(not found.output and not found.attention_0, "more was written than was asked for")
    expect_run(0, RUN .. "attention_all,hidden_0,output")
    found = files.read(path "result")
    for layer = 0, 2 do
      expect_values("attention_" .. layer, found["attention_" .. layer], "2,2,4,4", weight(layer, 4, { 4, 2 }))
    end
    expect(found.output and found.hidden_0 and not found.hidden_1, "attention_all brought others along")
    expect_run(0, "run --weights %weights --input %in --output %result")
    expect(not files.read(path "result").attention_0, "attention was written unasked")
    write(tensor("x", "F32", { 3, D }, 1))
    expect_run(0, RUN .. "attention_2")
    expect_values("attention_2", files.read(path "result").attention_2, "2,3,3", weight(2, 3, { 3 }))
  end

  local function test_check()
    write(tensor("x", "F32", { 3, D }, 1))
    files.write(path "expected", { tensor("attention_2", "F32", { 2, 3, 3 }, weight(2, 3, { 3 })) })
    local check = "check --weights %weights --input %in --expected %expected --rtol 0 --atol 0"
    expect_run(0, check, "ok: 1 of 1 tensors agree", "attention_2 [2, 3, 3]")
    files.write(path "expected", { tensor("attention_1", "F32", { 2, 3, 3 }, weight(2, 3, { 3 })) })
    expect_run(1, check)
  end

  -- The titles of cells in a picture: those whose value is 1, and those that are masked.
  local function cells(options, ...)
    os.remove(path "map.svg")
    expect_run(0, DRAW .. options, path "map.svg", ...)
    local svg = files.slurp(path "map.svg")
    expect(not flaw(svg), "%s: not well-formed", options)
    local ones, _, masked = {}, svg:gsub(": masked</title>", "")
    for cell in svg:gmatch("<title>([^<]*): 1</title>") do ones[#ones + 1] = cell:gsub(" [^ ]* ", ">") end
    return table.concat(ones, " "), masked, svg
  end

  -- Layers count from 0, and the last is drawn where none is named; with a batch and without.
  local function test_draw()
    local ROWS = { [0] = "0>0 1>1 2>2 3>3", "0>0 1>0 2>1 3>2", "0>0 1>0 2>0 3>1" }
    for _, shape in ipairs { { 4, D }, { 2, 4, D } } do
      write(tensor("x", "F32", shape, 1))
      for layer = 0, 2 do
        local ones, masked, svg = cells(" --head 0 --layer " .. layer, "attention of sequence 0 in layer " .. layer ..
          ", head 0, 1 head, 4 queries by 4 keys")
        expect(ones == ROWS[layer] and masked == 6, "layer %d is drawn as %s", layer, ones)
        expect(svg:find("masked: causal", 1, true), "nothing says what is masked")
      end
      expect(cells(" --head 0", "in layer 2") == ROWS[2], "the last layer is not drawn unasked")
      expect(cells(" --layer 0", "2 heads") == ROWS[0] .. " " .. ROWS[0], "not all heads are drawn")
    end
    expect_run(2, DRAW .. " --layer 3", "--layer 3: out of range, 0..2")
    expect_run(2, DRAW .. " --layer -1", "--layer")
    expect_run(2, DRAW .. " --head 2", "--head 2: out of range, 0..1")
    write(tensor("x", "F32", { 2, 4, D }, 1), tensor("lengths", "I32", { 2 }, { 4, 2 }))
    expect(cells(" --batch 1 --head 0 --layer 1", "2 queries by 2 keys; padding to 4 queries and 4 keys") == "0>0 1>0",
      "sequence 1 is drawn otherwise")
  end

  for _, test in ipairs { test_tensors, test_check, test_draw } do test() end
end
