-- program_models.lua: the command line of whole models that were generated: what goes in by which name, and what is
-- said where something does not fit. Weights are made up; what models compute is tested elsewhere.

local files = require "program_files"
local tensor = files.tensor

local RUN = "run --allow-random 1 --input %in --output %result"

return function(path, expect_run, expect, choose)
  local function wave(i) return i * 37 % 101 / 64 - 0.75 end

  local function write(...) files.write(path "in", { ... }) end

  -- A transformer's source by its own name, or what the encoder made of it: not both, and one of them.
  local function test_memory()
    choose "transformer_40_2"
    local trg, memory = tensor("trg", "F32", { 2, 3, 40 }, wave), tensor("memory", "F32", { 2, 5, 40 }, wave)
    local lengths = tensor("memory_lengths", "I32", { 2 }, { 5, 2 })
    write(trg, memory, lengths)
    expect_run(0, RUN .. " --outputs output", "output F32 [2, 3, 40]")
    write(trg, memory, tensor("src_lengths", "I32", { 2 }, { 5, 2 }))
    expect_run(0, "check --allow-random 1 --input %in --expected %result --rtol 0 --atol 0", "ok: 1 of 1")
    write(trg, tensor("src", "F32", { 2, 5, 40 }, wave), lengths)
    expect_run(1, "check --allow-random 1 --input %in --expected %result") -- rows of a source become others
    expect_run(0, "info", "takes memory, memory_lengths, src, trg")
    local refused = {
      { { trg }, 'no tensor "src", the source\'s rows or token ids, or "memory"' },
      { { trg, memory, tensor("src", "F32", { 2, 5, 40 }, 0) }, '"src" and "memory" are one input' },
      { { trg, tensor("query", "F32", { 2, 3, 40 }, 0), memory }, '"trg" and "query" are one input' },
      { { trg, memory, lengths, tensor("src_lengths", "I32", { 2 }, 1) }, "are one input" },
      { { trg, tensor("memory", "I32", { 2, 5 }, 1) }, '"memory" is I32 [2, 5]; expected F32, F16, BF16 or ' ..
        "F64 [2, 1..50, 40]" },
      { { trg, tensor("key", "F32", { 2, 5, 40 }, 0) }, "it is a transformer; give src, or memory" },
      { { trg, memory, tensor("src_mask", "I32", { 5, 5 }, 1) }, 'and "memory" is what an encoder gave' },
      { { trg, memory, tensor("kv_lengths", "I32", { 2 }, 1) }, "it is a transformer; give src_lengths" },
    }
    for _, case in ipairs(refused) do
      files.write(path "in", case[1])
      expect_run(1, RUN, path "in", case[2])
    end
  end

  local TOKENS = tensor("tokens", "I32", { 2, 3 }, function(i) return i * 7 % 19 end)
  local MEMORY = tensor("memory", "F32", { 2, 5, 36 }, wave)

  -- A mask of the memory that hides the rows after a length is that length, also of rows that are added.
  local function test_memory_mask()
    choose "memory_mask_36_3"
    local longer = "generate --allow-random 1 --input %in --output %longer --new 9"
    expect_run(0, "info", "takes x, memory, tokens, lengths, memory_lengths, trg_mask, memory_mask")
    write(TOKENS, MEMORY, tensor("memory_lengths", "I32", { 2 }, { 5, 2 }))
    expect_run(0, RUN .. " --outputs output,cross_attention_all", "cross_attention_1 F32 [2, 3, 3, 5]")
    expect_run(0, longer, "tokens I32 [2, 12]")
    local expected = files.slurp(path "longer")
    write(TOKENS, MEMORY)
    expect_run(1, "check --allow-random 1 --input %in --expected %result")
    write(TOKENS, MEMORY, tensor("memory_mask", "F32", { 2, 1, 5 }, function(i) return i >= 7 and -math.huge or 0 end))
    expect_run(0, "check --allow-random 1 --input %in --expected %result", "ok: 3 of 3")
    expect_run(0, longer, "tokens I32 [2, 12]")
    expect(files.slurp(path "longer") == expected, "a mask of the memory gives other tokens than its lengths")
    expect_run(0, "draw --allow-random 1 --input %in --output %map.svg --cross --batch 1", "3 queries by 5 keys")
    expect(files.slurp(path "map.svg"):find("masked: mask", 1, true), "nothing says that a mask hides")
    write(TOKENS, MEMORY, tensor("memory_mask", "F32", { 3, 5 }, 0))
    expect_run(1, longer, "adds rows that the file's mask says nothing of")
  end

  local function test_memory_mask_refused()
    local expected = "; expected F32, F16, BF16 or F64 [3, 5], [2, 3, 5] or [2, 3, 3, 5]"
    choose "memory_mask_36_3"
    for _, case in ipairs {
      { tensor("memory_mask", "F32", { 5, 3 }, 0), '"memory_mask" is F32 [5, 3]' .. expected },
      { tensor("memory_mask", "I32", { 3, 5 }, 1), '"memory_mask" is I32 [3, 5]' .. expected },
    } do
      write(TOKENS, MEMORY, case[1])
      expect_run(1, RUN, path "in", case[2])
    end
    choose "decoder_40_2"
    write(tensor("memory_mask", "F32", { 3, 5 }, 0))
    expect_run(1, RUN, "this model takes none, it was generated without a mask of its memory (mask.memory)")
    choose "pool_40"
    expect_run(1, "run --input %in --output %result", "only a decoder attends to one")
  end

  local GENERATE = "generate --allow-random 1 --input %in --output %result "

  -- Numbers out of range, by both ways to compute; what a model is not made for.
  local function test_generate()
    choose "gpt2_48_4"
    local tokens = tensor("tokens", "I32", { 2, 5 }, function(i) return i * 7 % 70 end)
    write(tokens, tensor("lengths", "I32", { 2 }, { 5, 2 }))
    expect_run(0, GENERATE .. "--new 85", "tokens I32 [2, 90], lengths I32 [2]")
    expect_run(0, GENERATE .. "--new 55 --stop 69 --recompute", "tokens I32 [2, 60]")
    expect_run(1, GENERATE .. "--new 86", path "in", "5 tokens and 86 more are 91; expected at most 90 (cache of the")
    expect_run(1, GENERATE .. "--new 56 --recompute", "5 tokens and 56 more are 61; expected at most 60 (seq_len of")
    expect_run(1, GENERATE .. "--new 500", "expected at most 90")
    expect_run(2, GENERATE .. "--new 0", "--new 0", "1..65536")
    expect_run(2, GENERATE .. "--stop 70", "--stop 70", "0..69")
    expect_run(2, GENERATE .. "--stop -1", "--stop")
    expect_run(2, GENERATE .. "--step 2", "generate: --step is an option of run")
    expect_run(2, GENERATE .. "--timeout 5", "--timeout is for the ranks of mpirun")
    expect_run(2, GENERATE .. "--timeout 0", "--timeout 0")
    expect(not expect_run(0, "generate --help"):find("--timeout", 1, true), "--help shows an option of MPI")
    expect_run(2, "info --ranks 2", "--ranks needs hwloc")
    expect(not expect_run(0, "info --help"):find("--ranks", 1, true), "--help shows an option of hwloc")
    write(tensor("x", "F32", { 2, 5, 48 }, wave))
    expect_run(1, GENERATE, path "in", "goes on from token ids, and the file holds rows")
    choose "transformer_40_2"
    expect_run(1, GENERATE, "cannot go on from tokens: it was generated without logits.kind or vocab_size")
    choose "pool_40"
    expect_run(1, "generate --input %in --output %result", "cannot go on from tokens")
    expect_run(1, "embed --tokens %in --output %result", "takes no token ids; its spec would say vocab_size")
  end

  -- A decoder goes on from tokens over its memory; in steps it gives the bytes of one call.
  local function test_decoder()
    choose "no_norm_36_3"
    local memory = tensor("memory", "F32", { 2, 4, 36 }, wave)
    write(tensor("tokens", "I32", { 2, 5 }, function(i) return i * 7 % 31 end), memory,
      tensor("memory_lengths", "I32", { 2 }, { 4, 1 }), tensor("lengths", "I32", { 2 }, { 5, 3 }))
    expect_run(0, GENERATE .. "--new 9")
    local by_cache = files.slurp(path "result")
    expect_run(0, GENERATE .. "--new 9 --recompute")
    expect(by_cache == files.slurp(path "result"), "tokens by the cache are others")
    expect_run(0, RUN .. " --outputs output")
    local whole = files.slurp(path "result")
    for _, step in ipairs { 1, 2, 5 } do
      expect_run(0, RUN .. " --outputs output --step " .. step)
      expect(whole == files.slurp(path "result"), "steps of %d give other bytes", step)
    end
    expect_run(2, RUN .. " --step 41", "--step 41", "1..40")
    expect_run(2, RUN .. " --outputs outptu", 'did you mean "output"?')
    expect_run(2, RUN .. " --outputs logits --step 2", "--step gives output, cache_keys and cache_values")
    expect_run(1, "embed --allow-random 1 --tokens %in --output %result", "is not an encoder")
    expect_run(2, "bench --cached 51", "--cached", "0..50")
    expect_run(0, "bench --seconds 0.001 --lengths 1 --kv-lengths 30 --cached 20", "20 keys in the cache")
    write(tensor("tokens", "I32", { 2, 5 }, 1))
    expect_run(1, RUN, 'no tensor "memory", the output of an encoder that a decoder attends to')
    expect_run(1, GENERATE, 'no tensor "memory"')
  end

  -- What a model without weights, heads or a cache says.
  local function test_rows()
    choose "pool_40"
    write(tensor("x", "F32", { 3, 40 }, wave))
    expect_run(0, "run --input %in --output %result", "embedding F32 [40]")
    expect_run(0, "bench --seconds 0.001 --lengths 3", "0 layers of d_ff 0, d_model 40, 1 thread")
    expect_run(0, "info", "none, norm layer", "pool mean", "0 parameters")
    expect_run(2, "run --allow-random 1 --input %in --output %result", "this model has no weights")
    expect_run(2, "run --input %in --output %result --step 1", "--step: this model was generated without a cache")
    expect_run(2, "bench --cached 16", "generated without a cache; its spec would say cache = 1024")
    write(tensor("x", "F32", { 3, 40 }, wave), tensor("mask", "I32", { 3, 3 }, 1))
    expect_run(1, "run --input %in --output %result", "without a mask at run time (mask.tensor)")
  end

  -- A residual's two inputs: both are needed, and of one shape; equal ones cancel to the norm's bias.
  local function test_residual()
    choose "residual_norm_45"
    local x = tensor("x", "F32", { 2, 3, 45 }, wave)
    local minus = tensor("sublayer", "F32", { 2, 3, 45 }, function(i) return -wave(i) end)
    write(x, minus, tensor("lengths", "I32", { 2 }, { 3, 1 }))
    expect_run(0, RUN, "output F32 [2, 3, 45]")
    local output = files.read(path "result").output
    for i = 0, 2 * 3 * 45 - 1 do
      local real = i < 4 * 45
      expect(output.values[i + 1] == (real and output.values[i % 45 + 1] or 0), "element %d is of its own", i)
    end
    expect_run(0, "info", "none, x + sublayer, norm layer", "takes x, sublayer, lengths")
    expect_run(0, "info --json", '"sublayer": true')
    expect_run(0, "bench --seconds 0.001 --lengths 3", "0 layers of d_ff 0, d_model 45, 1 thread")
    local FLOATS = "expected F32, F16, BF16 or F64 [2, 3, 45]"
    local refused = {
      { { x }, 'no tensor "sublayer", what is added to the rows of "x"' },
      { { minus }, 'no tensor "x"' },
      { { x, tensor("sublayer", "F32", { 2, 4, 45 }, 0) }, '"sublayer" is F32 [2, 4, 45]; ' .. FLOATS },
      { { x, tensor("sublayer", "F32", { 3, 45 }, 0) }, '"sublayer" is F32 [3, 45]; ' .. FLOATS },
      { { x, tensor("sublayer", "I32", { 2, 3 }, 0) }, '"sublayer" is I32 [2, 3]; ' .. FLOATS },
      { { x, tensor("residual", "F32", { 2, 3, 45 }, 0) }, '"residual" is not an input',
        "it takes x, sublayer, lengths" },
    }
    for _, case in ipairs(refused) do
      files.write(path "in", case[1])
      expect_run(1, RUN, path "in", case[2], case[3])
    end
    choose "pool_40"
    write(tensor("x", "F32", { 3, 40 }, wave), tensor("sublayer", "F32", { 3, 40 }, wave))
    expect_run(1, "run --input %in --output %result", '"sublayer": this model takes none, it was generated without')
  end

  -- A decoder draws its own rows' attention to each other, however many rows its memory has; who gives none says why.
  local function test_draw()
    local draw = "draw --allow-random 1 --input %in --output %map.svg"
    choose "decoder_40_2"
    for _, rows in ipairs { 3, 9 } do
      write(tensor("x", "F32", { 2, 5, 40 }, wave), tensor("memory", "F32", { 2, rows, 40 }, wave),
        tensor("lengths", "I32", { 2 }, { 5, 4 }), tensor("memory_lengths", "I32", { 2 }, { rows, 2 }))
      expect_run(0, draw .. " --batch 1", "in layer 1", "4 queries by 4 keys; padding to 5 queries and 5 keys")
      expect(files.slurp(path "map.svg"):find("masked: causal", 1, true), "nothing says causal")
    end
    expect_run(2, draw .. " --layer 2", "--layer 2: out of range, 0..1")
    expect_run(2, draw .. " --key-tokens %in", "--key-tokens", "the query's own sequence")
    expect_run(0, draw .. " --cross --layer 0", "cross attention of sequence 0 in layer 0", "5 queries by 9 keys")
    expect_run(0, draw .. " --cross --batch 1", "4 queries by 2 keys; padding to 5 queries and 9 keys")
    expect(not files.slurp(path "map.svg"):find("masked: ", 1, true), "what is not masked is drawn as masked")
    expect_run(2, draw .. " --source", "--source: this model is not a transformer, which has a source")
    choose "gpt2_48_4"
    expect_run(1, draw, "gpt2_48_4 has no attention to draw: it was generated without that output",
      "./configure --outputs attention adds it")
    write(tensor("tokens", "I32", { 2, 5 }, 1))
    expect_run(2, RUN .. " --outputs attention_1", 'its spec would say outputs = { "attention" }')
    expect_run(2, RUN .. " --outputs attention_all", 'its spec would say outputs = { "attention" }')
    choose "pool_40"
    expect_run(1, draw, "pool_40 has no attention to draw: its layers do not attend")
    expect_run(2, "run --input %in --output %result --outputs attention", "--outputs attention: this model does not")
  end

  -- A row of weights for each real query, over the real keys: its sum, and what is not zero after them.
  local function check_weights(name, found, shape, rows, keys)
    expect(found and found.shape == shape, "%s is not there or not %s", name, shape)
    local heads, high, width = found.shape:match("(%d+),(%d+),(%d+)$")
    heads, high, width = tonumber(heads), tonumber(high), tonumber(width)
    for at = 0, #found.values / width - 1 do
      local sequence, sum = math.floor(at / high / heads) + 1, 0
      for key = 1, width do
        local weight = found.values[at * width + key]
        sum = sum + weight
        expect(key <= keys[sequence] or weight == 0, "%s: padding has weight", name)
      end
      local wanted = at % high < rows[sequence] and 1 or 0
      expect(math.abs(sum - wanted) < 1e-5, "%s: row %d adds up to %s", name, at, sum)
    end
  end

  local function write_labels(name, text)
    local file = assert(io.open(path(name), "w"))
    file:write(text)
    file:close()
  end

  -- A transformer gives and draws three attentions: of its target's rows, of these over the source, of the source's.
  local function test_both_sides()
    local draw = "draw --allow-random 1 --input %in --output %map.svg"
    choose "transformer_attention_36_3"
    write(tensor("src", "I32", { 2, 6 }, function(i) return i % 13 end),
      tensor("trg", "I32", { 2, 4 }, function(i) return i % 11 end),
      tensor("src_lengths", "I32", { 2 }, { 6, 3 }), tensor("trg_lengths", "I32", { 2 }, { 4, 2 }))
    expect_run(0, RUN .. " --outputs output,attention_1,cross_attention_all,src_attention_all")
    local found = files.read(path "result")
    check_weights("attention_1", found.attention_1, "2,3,4,4", { 4, 2 }, { 4, 2 })
    for layer = 0, 1 do
      local name = "cross_attention_" .. layer
      check_weights(name, found[name], "2,3,4,6", { 4, 2 }, { 6, 3 })
    end
    for layer = 0, 2 do
      local name = "src_attention_" .. layer
      check_weights(name, found[name], "2,3,6,6", { 6, 3 }, { 6, 3 })
    end
    expect(not found.attention_0, "more was written than was asked for")
    expect_run(2, RUN .. " --outputs cross_attention_2", "this model has 2 layers, so cross_attention_0 to " ..
      "cross_attention_1")
    expect_run(2, RUN .. " --outputs src_attention_3", "this model's encoder has 3 layers, so src_attention_0 to " ..
      "src_attention_2")
    write_labels("words", "one\ntwo\nthree\nfour\n")
    write_labels("keys", "un\ndeux\ntrois\nquatre\ncinq\nsix\n")
    expect_run(0, draw .. " --cross --layer 1 --tokens %words --key-tokens %keys",
      "transformer_attention_36_3: cross attention of sequence 0 in layer 1", "4 queries by 6 keys")
    local svg = files.slurp(path "map.svg")
    expect(svg:find("three", 1, true) and svg:find("quatre", 1, true), "the labels of queries or keys are not drawn")
    expect_run(0, draw .. " --source --tokens %keys", "source attention of sequence 0 in layer 2",
      "6 queries by 6 keys")
    svg = files.slurp(path "map.svg")
    expect(not svg:find("causal", 1, true) and svg:find("cinq", 1, true), "the source is drawn as the target")
    expect_run(0, draw .. " --source --batch 1", "3 queries by 3 keys; padding to 6 queries and 6 keys")
    expect_run(0, draw .. " --tokens %words", "attention of sequence 0 in layer 1", "4 queries by 4 keys")
    expect_run(2, draw .. " --source --layer 3", "--layer 3: out of range, 0..2")
    expect_run(2, draw .. " --cross --source", "--cross and --source are two pictures")
    expect_run(2, draw .. " --source --key-tokens %keys", "--key-tokens", "the query's own sequence")
    write(tensor("memory", "F32", { 6, 36 }, wave), tensor("trg", "I32", { 4 }, 1))
    expect_run(0, draw .. " --cross", "4 queries by 6 keys")
    expect_run(1, draw .. " --source", "the file holds memory in place of src")
    choose "transformer_40_2"
    expect_run(1, draw .. " --cross", "transformer_40_2 has no attention to draw")
    choose "memory_mask_36_3"
    expect_run(1, draw, "./configure --outputs attention adds it")
  end

  -- The work of a call, from the rate and the time that bench writes; both are of the same samples.
  local function benched(outputs)
    expect_run(0, "bench --seconds 0.001 --batch 3 --lengths 40 --json %cells --outputs " .. outputs)
    local cells = files.slurp(path "cells")
    return tonumber(cells:match('"gflops": ([%d.e+-]+)')) * tonumber(cells:match('"us_median": ([%d.e+-]+)')) * 1e3
  end

  -- A head of a dense linear and one of the labels, once a sequence, where class_logits are asked for.
  local function test_classifier_work()
    for model, width_labels in pairs { classifier_40_4 = { 40, 1 }, classifier_29 = { 29, 19 }, pool_40 = { 40 } } do
      choose(model)
      local width, labels = width_labels[1], width_labels[2]
      local flops = labels and 2 * width * (width + labels) or 0
      expect_run(0, "info --json", ('"flops_of_class_logits": %d.0,'):format(flops))
      local text = expect_run(0, "info")
      local told = ("class_logits of a sequence, where asked for: %.6g MFLOP more"):format(flops / 1e6)
      expect((text:find(told, 1, true) ~= nil) == (labels ~= nil), "%s: info says\n%s", model, text)
      if labels then
        local more = benched "output,class_logits" - benched "output"
        expect(math.abs(more - 3 * flops) < 1, "%s: bench counts %.17g flops, expected %d", model, more, 3 * flops)
      end
    end
  end

  for _, test in ipairs { test_memory, test_memory_mask, test_memory_mask_refused, test_generate, test_decoder,
    test_rows, test_residual, test_draw, test_both_sides, test_classifier_work } do
    test()
  end
  require "program_text"(path, expect_run, expect, choose)
  require "program_rank"(path, expect_run, expect, choose)
  require "program_late"(path, expect_run, expect, choose)
  require "program_precision"(path, expect_run, expect, choose)
  require "program_samples"(path, expect_run, expect, choose)
end
