-- program_samples.lua: `pack --samples` of programs whose weights are in groups: that samples change the weights,
-- in the same way each time and from each kind of file, that results come nearer, and what is refused. How near one
-- linear comes is tests/unit/test_rounding.c's.
local files = require "program_files"
local tensor = files.tensor

local PACK = "pack --weights %weights --output "
local WORDS, TEXTS, LENGTH = 60, 40, 20

return function(path, expect_run, expect, choose)
  local write = files.writer(path)

  local function wave(i) return i * i % 83 / 64 - 0.625 end

  -- Numbers of no pattern, from -1 to 1.
  local state = 1
  local function random()
    state = (state * 16807) % 2147483647
    return state / 1073741823.5 - 1
  end

  -- The tensors of a model's weights, by the names and shapes that `info` tells; of a layer alone by its default
  -- layout's.
  local function write_weights(number)
    local list, section = {}, expect_run(0, "info"):match("\nweights\n(.-)\n\n")
    for name, shape in section:gmatch(" +(%S+) +%[([%d, ]+)%]") do
      local axes = {}
      for axis in shape:gmatch("%d+") do axes[#axes + 1] = tonumber(axis) end
      list[#list + 1] = tensor((name:gsub("^([qkvo])_", "w_%1.")), "F32", axes, function(i)
        return number(i + #list, name)
      end)
    end
    files.write(path "weights", list)
  end

  local function wave_weights() write_weights(function(i) return wave(i) / 8 end) end

  -- Packs the model of the moment by samples, twice; both are alike, and not the nearest numbers. Leaves %one.gap.
  local function expect_packed(options)
    expect_run(0, PACK .. "%nearest.gap")
    for _, name in ipairs({ "%one.gap", "%other.gap" }) do expect_run(0, PACK .. name .. " --samples " .. options) end
    expect(files.slurp(path "one.gap") == files.slurp(path "other.gap"), "the same samples gave other weights")
    expect(files.slurp(path "one.gap") ~= files.slurp(path "nearest.gap"), "samples changed nothing")
    local function checksum_of(name)
      return expect_run(0, "inspect " .. name, ": sound\n"):match "before packing (%x+)"
    end
    expect(checksum_of "%one.gap" ~= checksum_of "%nearest.gap", "other numbers have the checksum of the nearest")
  end

  local function tokens(n, shape, last)
    return tensor(n, "I32", shape, function(i) return i * 11 % last end)
  end

  -- Models that attend to a memory, a layer of its own, and both sides of a transformer.
  local function test_tensors()
    choose "int4_40_decoder"
    wave_weights()
    files.write(path "in.safetensors", { tokens("tokens", { 3, 20 }, 51), tensor("memory", "F32", { 3, 9, 40 }, wave) })
    expect_packed "%in.safetensors"
    expect_run(0, "run --weights %one.gap --input %in.safetensors --output %result", "output F32 [3, 20, 40]")
    choose "int4_48_4"
    wave_weights()
    files.write(path "in.safetensors", { tensor("query", "F32", { 3, 20, 48 }, wave) })
    expect_packed "%in.safetensors"
    choose "int4_36_transformer"
    wave_weights()
    files.write(path "in.safetensors", { tokens("trg", { 3, 16 }, 43), tokens("src", { 3, 9 }, 41) })
    expect_packed "%in.safetensors"
  end

  -- -- Texts ----------------------------------------------------------------------------------------------------------

  local function write_tokenizer()
    local vocabulary = { '"?":0' }
    for i = 1, WORDS - 1 do vocabulary[#vocabulary + 1] = ('"w%d":%d'):format(i, i) end
    write("tokenizer", ([[{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"decoder":null,
"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,
"model":{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":20,
"vocab":{%s}}}]]):format(table.concat(vocabulary, ",")))
  end

  -- Texts of one length, and the same as ids.
  local function write_texts()
    local ids, lines = {}, {}
    for line = 1, TEXTS do
      local words = {}
      for i = 1, LENGTH do
        ids[#ids + 1] = 1 + math.floor((random() + 1) / 2 * (WORDS - 1.001))
        words[i] = "w" .. ids[#ids]
      end
      lines[line] = table.concat(words, " ")
    end
    write("texts", table.concat(lines, "\n") .. "\n")
    files.write(path "in.safetensors", { tensor("tokens", "I32", { TEXTS, LENGTH }, ids) })
  end

  local function logits_of(weights)
    expect_run(0, "run --weights " .. weights .. " --input %in.safetensors --output %result --outputs logits")
    return files.read(path "result").logits.values
  end

  -- The mean square of what logits differ by, in parts of those in floats.
  local function error_of(logits, exact)
    local error, size = 0, 0
    for i, number in ipairs(exact) do
      error, size = error + (logits[i] - number) ^ 2, size + number ^ 2
    end
    return error / size
  end

  -- Rows have numbers that go together, as those of models do: weights add few patterns to them.
  local function number_of(i, name)
    if name:find("norm_weight", 1, true) then return 1 end
    if name:find("_bias", 1, true) then return 0 end
    return (random() + 2 * math.sin(i * 0.7) * math.cos(math.floor(i / 64))) / 12
  end

  -- Samples of all layers and of the logits make a tenth of the error; of the layers alone a third. Token ids give what
  -- their texts give.
  local function test_next()
    write_tokenizer()
    write_texts()
    choose "f32_64_logits"
    write_weights(number_of)
    local exact = logits_of("%weights")
    choose "int4_64_logits"
    expect_packed "%texts --tokenizer %tokenizer"
    local nearest, sampled = error_of(logits_of("%nearest.gap"), exact), error_of(logits_of("%one.gap"), exact)
    expect(sampled < 0.2 * nearest, "logits are %g off with samples, %g without", sampled, nearest)
    expect_run(0, PACK .. "%ids.gap --tokenizer %tokenizer --samples %in.safetensors")
    expect_run(0, PACK .. "%texts.gap --tokenizer %tokenizer --samples %texts")
    expect(files.slurp(path "ids.gap") == files.slurp(path "texts.gap"), "ids and their texts gave other weights")
    write("texts", "w1 w2\n\n" .. ("w3 "):rep(40) .. "\n") -- of other lengths, one of them longer than a call
    expect_run(0, PACK .. "%texts.gap --tokenizer %tokenizer --samples %texts")
  end

  local function test_classes()
    choose "int8_g32_40_classifier"
    wave_weights()
    write("texts", "w1 w2 w3 w4\nw5 w6\nw7 w7 w8 w9 w10\n")
    write("small", (files.slurp(path "tokenizer"):gsub('"w%d+":(%d+),?', function(id)
      return tonumber(id) < 36 and ('"w%s":%s%s'):format(id, id, id == "35" and "" or ",") or ""
    end)))
    expect_packed "%texts --tokenizer %small"
  end

  local function test_refused()
    choose "int4_40_decoder"
    expect_run(1, PACK .. "%none.gap --samples %absent", path "absent", "ends in .safetensors", "attends to a memory")
    expect_run(2, "pack --allow-random 1 --output %none.gap --samples %in.safetensors", "--samples")
    choose "int4_48_4"
    expect_run(1, PACK .. "%none.gap --samples %texts", path "texts", "takes no token ids")
    choose "int4_64_logits"
    expect_run(1, PACK .. "%none.gap --samples %texts", "tokenizer.json", "tokens [B, L]")
    expect_run(1, PACK .. "%none.gap --tokenizer %tokenizer --samples %absent", path "absent", "cannot be read")
    choose "bert_48_4"
    expect_run(1, PACK .. "%none.gap --samples %in.safetensors", "--weights-dtype int4 or int8")
  end

  test_tensors()
  test_next()
  test_classes()
  test_refused()
end
