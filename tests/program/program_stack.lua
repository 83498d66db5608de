-- program_stack.lua: the command line of a whole model: its words for inputs and outputs, what it writes unasked, and
-- what it says where a file does not fit. Against tests/program/program_stack_fixture.c, whose layers each add one.

local files = require "program_files"
local tensor = files.tensor

local D, LAYERS, LOGITS = 8, 3, 10

return function(path, expect_run, expect_values, expect)
  local RUN = "run --weights %weights --input %in --output %result"

  local function write(...) files.write(path "in", { ... }) end

  -- Runs and returns the tensors written.
  local function result(options)
    expect_run(0, RUN .. (options or ""))
    return files.read(path "result")
  end

  local function expect_names(found, ...)
    local wanted, count = {}, 0
    for _, name in ipairs { ... } do wanted[name] = true end
    for name in pairs(found) do
      count = count + 1
      expect(wanted[name], "%s was written", name)
    end
    expect(count == select("#", ...), "%d tensors were written, expected %d", count, select("#", ...))
  end

  -- Row `id` of the embedding holds id; type 1 adds 0.25.
  local function write_weights()
    files.write(path "weights", {
      tensor("embedding", "F32", { 10, D }, function(i) return math.floor(i / D) end),
      tensor("token_types", "F32", { 2, D }, function(i) return i < D and 0 or 0.25 end),
    })
  end

  local function test_outputs()
    write(tensor("x", "F32", { 2, 4, D }, function(i) return math.floor(i / D) end))
    local function row(i) return math.floor(i / D) + LAYERS end
    local given = result()
    expect_names(given, "output", "embedding", "last_logits")
    expect_values("output", given.output, "2,4,8", row)
    expect_values("embedding", given.embedding, "2,8", function(i) return i < D and 4.5 or 8.5 end)
    expect_values("last_logits", given.last_logits, "2,10", function(i)
      return i < LOGITS and 6 + 100 * i or 10 + 100 * (i - LOGITS)
    end)
    local asked = result(" --outputs logits,hidden_1")
    expect_names(asked, "logits", "hidden_1")
    expect_values("logits", asked.logits, "2,4,10", function(i)
      return math.floor(i / LOGITS) + 3 + 100 * (i % LOGITS)
    end)
    expect_values("hidden_1", asked.hidden_1, "2,4,8", function(i) return math.floor(i / D) + 1 end)
    expect_names(result(" --outputs embedding,hidden_all"), "embedding", "hidden_0", "hidden_1", "hidden_2", "hidden_3")
    expect_names(result(" --outputs embedding"), "embedding")
  end

  local function test_one_sequence()
    write(tensor("tokens", "I64", { 3 }, { 2, 4, 9 }), tensor("token_types", "I32", { 3 }, { 0, 1, 1 }))
    local given = result(" --outputs output,embedding,logits,last_logits,hidden_0")
    expect_values("output", given.output, "3,8", function(i) return ({ 5, 7.25, 12.25 })[math.floor(i / D) + 1] end)
    expect_values("hidden_0", given.hidden_0, "3,8", function(i) return ({ 2, 4.25, 9.25 })[math.floor(i / D) + 1] end)
    expect(given.embedding.shape == "8", "embedding is [%s]", given.embedding.shape)
    expect(given.logits.shape == "3,10", "logits are [%s]", given.logits.shape)
    expect_values("last_logits", given.last_logits, "10", function(i) return 12.25 + 100 * i end)
  end

  -- No length but 0 and 1, ids of no vocabulary after them; both names of each input.
  local function test_lengths()
    for _, names in ipairs { { "tokens", "lengths" }, { "tokens", "q_lengths" } } do
      write(tensor(names[1], "I32", { 2, 3 }, { 7, -100, 99, -1, -1, -1 }), tensor(names[2], "I64", { 2 }, { 1, 0 }),
        tensor("token_types", "I32", { 2, 3 }, { 1, 5, 5, 5, 5, 5 }))
      local given = result(" --outputs output,embedding,logits,last_logits")
      expect_values("output", given.output, "2,3,8", function(i) return i < D and 10.25 or 0 end)
      expect_values("embedding", given.embedding, "2,8", function(i) return i < D and 10.25 or 0 end)
      local function logit(i) return i < LOGITS and 10.25 + 100 * i or 0 end
      expect_values("last_logits", given.last_logits, "2,10", logit)
      expect_values("logits", given.logits, "2,3,10", function(i) return i < LOGITS and 10.25 + 100 * i or 0 end)
    end
    write(tensor("query", "F32", { 3, D }, 2), tensor("lengths", "I32", {}, { 2 }))
    expect_values("query by its other name", result().output, "3,8", function(i) return i < 2 * D and 5 or 0 end)
  end

  local function test_check()
    local check = "check --weights %weights --input %in --expected %expected"
    write(tensor("x", "F32", { 2, 2, D }, 1))
    files.write(path "expected", { tensor("hidden_2", "F32", { 2, 2, D }, 3), tensor("embedding", "F64", { 2, D }, 4),
      tensor("logits", "F32", { 2, 2, LOGITS }, function(i) return 4 + 100 * (i % LOGITS) end) })
    expect_run(0, check .. " --rtol 0 --atol 0", "ok: 3 of 3 tensors agree", "hidden_2 [2, 2, 8]")
    files.write(path "expected", { tensor("hidden_2", "F32", { 2, 2, D }, 4) })
    expect_run(1, check)
    local refused = {
      { "hidden_4", "this model has 3 layers, so hidden_0 to hidden_3" },
      { "scores", "a stack of layers, which keeps what happens within one" },
      { "attention", "this model has 3 layers, and gives it of each: attention_0 to attention_2" },
      { "attention_3", "this model has 3 layers, so attention_0 to attention_2" },
      { "cache_keys", "its spec would say cache = " },
      { "embeding", 'did you mean "embedding"?',
        "(it gives output, embedding, logits, last_logits, hidden_0 to hidden_3, attention_0 to attention_2)" },
      { "attention_o", 'did you mean "attention_0"?' },
    }
    for _, case in ipairs(refused) do
      files.write(path "expected", { tensor(case[1], "F32", { 2, 2, D }, 4) })
      expect_run(1, check, path "expected", case[1], case[2], case[3])
      expect_run(2, RUN .. " --outputs output," .. case[1], case[1], case[2])
    end
    expect_run(2, RUN .. " --outputs ''", 'is not an output')
    expect_run(2, RUN .. " --outputs output,", 'is not an output')
  end

  local function test_info()
    expect_run(0, "info", "  bits revision 1: ",
      "3 of d_ff 16, gelu, norm layer after residuals, positions none, pool mean, logits linear of 10, in i16\n",
      "96 parameters: 3 x 0 in layers, 96 outside them", "takes x, tokens, token_types, lengths",
      "gives output, embedding, logits, last_logits, hidden_0 to hidden_3, attention_0 to attention_2")
    expect_run(0, "info --json", '"n_layers": 3', '"pool": "mean"', '"kind": "encoder"', '"hidden_3"', '"attention_2"',
      '"bits_revision": 1', '"all": 96', '"logits_dtype": "i16"', '"classifier_dtype": "f32"')
  end

  local function test_bench()
    for _, outputs in ipairs { "output", "logits,hidden_1", "embedding", "last_logits", "attention_1" } do
      expect_run(0, "bench --seconds 0.001 --lengths 3 --batch 2 --json %cells --outputs " .. outputs,
        "3 layers of d_ff 16")
      expect(files.slurp(path "cells"):find('"outputs": "' .. outputs .. '"', 1, true), "outputs are not in the JSON")
    end
    expect_run(2, "bench --outputs attention", "--outputs attention: this model has 3 layers")
  end

  local function write_text(text)
    local out = assert(io.open(path "ids", "wb"))
    out:write(text)
    out:close()
  end

  local EMBED = "embed --weights %weights --output %result --tokens "

  -- The mean of a sequence's ids and the layers' three; an empty sequence is zeros.
  local function expect_embeddings(options, means)
    expect_run(0, EMBED .. options, ("embedding F32 [%d, 8]"):format(#means))
    expect_values("embedding", files.read(path "result").embedding, #means .. ",8", function(i)
      return means[math.floor(i / D) + 1]
    end)
  end

  local function test_embed()
    write_text("1 2 3\n\n9\n  4,4 ,\t6, 6\r\n0 0 0 0 0 0 0 8")
    for _, rows in ipairs { 1, 3, 8, 1024 } do
      expect_embeddings("%ids --threads 2 --rows " .. rows, { 5, 0, 12, 8, 4 })
    end
    files.write(path "ids.safetensors", { tensor("tokens", "I64", { 3, 2 }, { 1, 3, 5, -1, 7, 8 }),
      tensor("lengths", "I32", { 3 }, { 2, 1, 0 }), tensor("token_types", "I32", { 3, 2 }, { 1, 1, 0, 9, 9, 9 }) })
    expect_embeddings("%ids.safetensors", { 5.25, 8, 0 })
    write_text(("1 "):rep(17) .. "\n")
    expect_run(1, EMBED .. "%ids", path "ids", "line 1: more ids than a sequence of this model has, 16; --cut")
    expect_embeddings("%ids --cut", { 4 })
  end

  local function test_embed_refusals()
    local refused = { ["1 2\n3 10\n"] = "line 2: token id 10; expected 0..9",
      ["1 -2\n"] = "line 1 has something else than token ids", ["1 2x\n"] = "line 1 has",
      ["word\n"] = "line 1 has", [""] = "holds no sequence",
      ["99999999999999999999\n"] = "line 1 has" }
    for text, why in pairs(refused) do
      write_text(text)
      expect_run(1, EMBED .. "%ids", path "ids", why)
    end
    expect_run(1, EMBED .. "%nowhere", path "nowhere", "cannot be read")
    expect_run(1, EMBED .. "%weights.safetensors", path "weights.safetensors")
    files.write(path "ids.safetensors", { tensor("tokens", "F32", { 3, 2 }, 1) })
    expect_run(1, EMBED .. "%ids.safetensors", '"tokens" is F32 [3, 2]; expected I32 or I64 [sequences, length]')
    files.write(path "ids.safetensors", { tensor("lengths", "I32", { 3 }, 1) })
    expect_run(1, EMBED .. "%ids.safetensors", 'no tensor "tokens"')
    files.write(path "ids.safetensors", { tensor("tokens", "I32", { 1, 2 }, 1), tensor("lengths", "I32", { 1 }, 3) })
    expect_run(1, EMBED .. "%ids.safetensors", '"lengths": element [0] is 3; expected 0..2')
    files.write(path "ids.safetensors", { tensor("tokens", "I32", { 1, 2 }, 1),
      tensor("token_types", "I32", { 1, 2 }, 2) })
    expect_run(1, EMBED .. "%ids.safetensors", '"token_types": sequence 0: 2; expected 0..1')
  end

  local function test_refused_inputs()
    local x, tokens = tensor("x", "F32", { 2, 4, D }, 0), tensor("tokens", "I32", { 2, 4 }, 1)
    local refused = {
      { { tensor("lengths", "I32", { 2 }, 1) }, 'no tensor "x" or "tokens"' },
      { { x, tokens }, 'tensors "x" and "tokens" cannot both be given' },
      { { x, tensor("query", "F32", { 2, 4, D }, 0) }, '"x" and "query" are one input; give one' },
      { { x, tensor("lengths", "I32", { 2 }, 1), tensor("q_lengths", "I32", { 2 }, 1) },
        '"lengths" and "q_lengths" are one input; give one' },
      { { x, tensor("key", "F32", { 2, 4, D }, 0) }, '"key": this model takes none',
        "an encoder's keys and values are made from its own rows" },
      { { x, tensor("kv_lengths", "I32", { 2 }, 1) }, '"kv_lengths": this model takes none', "lengths is for both" },
      { { x, tensor("mask", "F32", { 4, 4 }, 0) }, '"mask": this model takes none' },
      { { x, tensor("position", "I32", { 2 }, 0) }, '"position": this model takes none', "rotary" },
      { { tensor("x", "I32", { 2, 4, D }, 0) }, '"x" is I32 [2, 4, 8]; expected F32, F16, BF16 or F64 ' ..
        "[batch, 1..16, 8]" },
      { { tensor("x", "F32", { 2, 17, D }, 0) }, "[2, 17, 8]", "1..16" },
      { { tensor("tokens", "F32", { 2, 4 }, 0) }, '"tokens" is F32 [2, 4]; expected I32 or I64 [batch, 1..16]' },
      { { tensor("tokens", "I32", { 2, 4 }, { 0, 0, 0, 0, 0, 0, 10, 0 }) },
        '"tokens": element [1, 2] is 10; expected 0..9' },
      { { tokens, tensor("token_types", "I32", { 2, 4 }, { 0, 0, 0, 2, 0, 0, 0, 0 }) },
        '"token_types": element [0, 3] is 2; expected 0..1' },
      { { tokens, tensor("token_types", "I32", { 4 }, 0) }, '"token_types" is I32 [4]; expected I32 or I64 [2, 4]' },
      { { tokens, tensor("token_types", "F32", { 2, 4 }, 0) }, '"token_types" is F32 [2, 4]; expected I32 or I64' },
      { { tokens, tensor("lengths", "I64", { 2 }, { 4, 5 }) }, '"lengths": element [1] is 5; expected 0..4' },
      { { tokens, tensor("lengths", "I64", { 2 }, { -1, 4 }) }, "element [0] is -1; expected 0..4" },
      { { tokens, tensor("lengths", "F32", { 2 }, 1) }, '"lengths" is F32 [2]; expected I32 or I64 [2], one length' },
      { { tensor("input_ids", "I64", { 2, 4 }, 1) }, '"input_ids" is not an input', 'did you mean "tokens"?',
        "(it takes x, tokens, token_types, lengths)" },
      { { tokens, tensor("attention_mask", "I64", { 2, 4 }, 1) }, 'did you mean "lengths"?' },
      { { tokens, tensor("token_type_ids", "I64", { 2, 4 }, 1) }, 'did you mean "token_types"?' },
    }
    for _, case in ipairs(refused) do
      files.write(path "in", case[1])
      os.remove(path "result")
      expect_run(1, RUN, path "in", case[2], case[3])
      expect(not io.open(path "result"), "an output was written beside %s", case[2])
    end
  end

  local function test_timeline()
    expect_run(0, "info", "x             8 floats, every row: adding to giving",
      "mid          16 floats, a thread's block: giving")
    expect_run(0, "info --timeline %result")
    local file = assert(io.open(path "result"))
    local svg = file:read("*a")
    file:close()
    for _, text in ipairs { "<svg ", "1. adding", "2. giving", "16 floats, a thread's block", "</svg>" } do
      expect(svg:find(text, 1, true), "the timeline has no %s", text)
    end
    os.remove(path "drawn")
    assert(os.execute(("ln -s result %s"):format(path "drawn")))
    expect_run(0, "info --timeline %drawn")
    assert(os.remove(path "result"))
    expect(io.open(path "drawn"), "the timeline was written through a link")
    files.write(path "result", {})
    expect_run(1, "info --timeline %result/none.svg", "none.svg: cannot make a temporary file in its folder")
  end

  -- A model without a cache goes on from tokens too, and says what one would save. The likeliest is always the last.
  local function test_generate()
    files.write(path "in", { tensor("tokens", "I32", { 2, 3 }, { 1, 2, 3, 4, 0, 0 }), tensor("lengths", "I32", { 2 },
      { 3, 1 }) })
    local generate = "generate --weights %weights --input %in --output %result --new 2"
    local _, said = expect_run(0, generate, "tokens I32 [2, 5], lengths I32 [2]")
    expect(said:find("has no cache, so each token takes all rows before it anew: ./configure --cache 16 ", 1,
      true), "nothing is said of the cache that is missing: %s", said)
    local wanted = { 1, 2, 3, 9, 9, 4, 9, 9, 0, 0 }
    expect_values("tokens", files.read(path "result").tokens, "2,5", function(i) return wanted[i + 1] * 2^-149 end)
    _, said = expect_run(0, generate .. " --recompute")
    expect(said == "", "said of a model that was to recompute: %s", said)
    expect_run(1, generate .. "4", "3 tokens and 24 more are 27; expected at most 16 (seq_len of the spec)")
  end

  for _, test in ipairs { write_weights, test_generate, test_outputs, test_one_sequence, test_lengths, test_check,
                          test_info, test_bench, test_embed, test_embed_refusals, test_refused_inputs,
                          test_timeline } do
    test()
  end
end
