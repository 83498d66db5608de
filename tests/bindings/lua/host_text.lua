-- host_text.lua: texts of host_test.lua: model:encode and model.tokenizer of bert_48_4, held against the vectors that
-- the model's program writes and against calls with ids that are written out here.
local bert_tokenizer = dofile("tests/examples/bert_tokenizer.lua")
local compat = dofile("generator/base/compat.lua")
local files = require "program_files"
local hash = dofile("generator/base/hash.lua")

local TEXTS = { "the cats sat on a mat", "a dog", "", ("dog "):rep(100), "zebra mat", "the cat", "a\0dog" }
local IDS = { { 2, 9, 5, 11, 7, 8, 4, 10, 3 }, { 2, 4, 6, 3 }, { 2, 3 } }
local WIDTH = 48

-- t: check, refuses, remember and same of host_test.lua, folder, and programs, the folder of the models' programs.
return function(t)
  local module = require "bert_48_4"
  local program, packed = t.programs .. "/bert_48_4", t.folder .. "/text/post.gap"
  local json = t.folder .. "/text/tokenizer.json"

  local function call(words)
    t.check(compat.execute(("%s %s >/dev/null 2>&1"):format(program, words)), words)
  end

  local function write(name, content)
    files.writer(function() return t.folder .. "/text/" .. name end)(name, content)
  end

  local function same_row(vectors, row, vector)
    for i = 1, WIDTH do
      if vectors[(row - 1) * WIDTH + i] ~= vector[i] then return false end
    end
    return true
  end

  local function is_loaded()
    local maps = files.slurp("/proc/self/maps")
    return maps:find("genattn/text_", 1, true) ~= nil
  end

  local function test_vectors(model)
    t.check(not is_loaded() and not package.loaded["genattn.text"], "nothing of text is loaded before it is asked for")
    local got = model:encode(TEXTS)
    t.check(is_loaded(), "libga_text is loaded where a text is given")
    write("texts", table.concat(TEXTS, "\n", 1, #TEXTS - 1) .. "\n") -- of which the last is no line
    call(("embed --weights %s --text %s/text/texts --output %s/text/out"):format(packed, t.folder, t.folder))
    local embedded, is_same = files.read(t.folder .. "/text/out").embedding.values, true
    for i = 1, #embedded do is_same = is_same and got[i] == embedded[i] end
    t.check(#embedded == (#TEXTS - 1) * WIDTH, "embed writes a vector of each line", tostring(#embedded))
    t.check(is_same, "the vectors are those that embed writes")
    t.check(table.concat(got.shape, " ") == "7 48" and got.kind == "f32", "a matrix", tostring(got))
    for row, ids in ipairs(IDS) do
      t.check(same_row(got, row, model { tokens = { ids }, outputs = "embedding" }), "the vector of ids, row " .. row)
    end
    for _, size in ipairs { 1, 2, 3, 100 } do
      t.check(t.same(got, model:encode(TEXTS, { batch_size = size })), "batches of " .. size)
    end
    for threads = 2, 4 do -- of one batch together, or each of a batch
      local several = module.load(packed, { threads = threads })
      t.check(t.same(got, several:encode(TEXTS)) and t.same(got, several:encode(TEXTS, { batch_size = 1 })),
        ("over %d threads"):format(threads))
      local rows = several:encode(TEXTS, { batch_size = 2, output_value = "token_embeddings" })
      for i, wanted in ipairs(model:encode(TEXTS, { output_value = "token_embeddings" })) do
        t.check(t.same(wanted, rows[i]), ("rows of text %d over %d threads"):format(i, threads))
      end
    end
    t.remember(got)
    return got
  end

  local function test_shapes(model, all)
    local one = model:encode("a dog")
    t.check(table.concat(one.shape, " ") == "48" and same_row(all, 2, one), "a string gives a vector", tostring(one))
    t.check(table.concat(model:encode({}).shape, " ") == "0 48", "no texts")
    t.refuses("vectors: index 337 is outside 1..336", "the bounds of a matrix", function() return all[337] end)
    local pair = model:encode { { "a dog", "the cat" } }
    t.check(t.same(pair, model { tokens = { { 2, 4, 6, 3, 9, 5, 3 } }, token_types = { { 0, 0, 0, 0, 1, 1, 1 } },
      outputs = "embedding" }), "a pair has types")
    local rows = model:encode({ "a dog", TEXTS[1] }, { output_value = "token_embeddings" })
    t.check(#rows == 2 and table.concat(rows[2].shape, " ") == "9 48", "rows of tokens", tostring(rows[2]))
    t.check(t.same(rows[1], model { tokens = { IDS[2] }, outputs = "output" }), "the rows of a call")
  end

  local function test_numbers(model, all)
    local some = model:encode(TEXTS, { truncate_dim = 10 })
    local unit = model:encode(TEXTS, { truncate_dim = 10, normalize_embeddings = true })
    local is_same, off = table.concat(some.shape, " ") == "7 10", 0
    for row = 1, #TEXTS do
      local sum, units = 0, 0
      for i = 1, 10 do
        is_same = is_same and some:at(row, i) == all:at(row, i)
        sum, units = sum + some:at(row, i) ^ 2, units + unit:at(row, i) ^ 2
      end
      for i = 1, 10 do off = math.max(off, math.abs(unit:at(row, i) * sum ^ 0.5 - some:at(row, i))) end
      off = math.max(off, math.abs(units - 1))
    end
    t.check(is_same, "the first numbers")
    -- Each number is rounded once, to 2^-24 of itself; the sum of ten squares is off by twice that.
    t.check(off <= 2 ^ -22, "vectors of length 1", tostring(off))
    t.check(t.same(model:encode({ "cat" }, { prompt = "the " }), model:encode { "the cat" }), "a prompt")
    t.remember(unit)
  end

  local function test_tokenizer(model)
    local words = model.tokenizer
    local got = words:encode("The cats", "a Zebra")
    t.check(table.concat(got.ids:values(), " ") == "2 9 5 11 3 4 1 3", "ids", tostring(got.ids))
    t.check(table.concat(got.type_ids:values(), " ") == "0 0 0 0 0 1 1 1", "types")
    t.check(table.concat(got.tokens, " ") == "[CLS] the cat ##s [SEP] a [UNK] [SEP]", "tokens")
    t.check(got.offsets:at(2, 2) == 3 and got.offsets:at(4, 1) == 7 and got.offsets:at(4, 2) == 8, "offsets")
    t.check(table.concat(got.special_tokens_mask:values(), " ") == "1 0 0 0 1 0 0 1", "the mask")
    t.refuses("ids: index 9 is outside 1..8", "the bounds of ids", function() return got.ids[9] end)
    t.check(words:encode("a cat", nil, { add_special_tokens = false }).ids.n == 2, "without special tokens")
    t.check(words:decode({ 9, 5, 11, 7 }) == "the cats sat", "back to text", words:decode({ 9, 5, 11, 7 }))
    t.check(words:decode(got.ids, { skip_special_tokens = false }):find("[SEP]", 1, true), "back with special tokens")
    t.check(words:decode({}) == "" and words.n_ids == 12, "the text of nothing")
    t.refuses("there is no option special", "an option that is none", words.encode, words, "a", nil, { special = true })
    t.refuses("text is nil; expected a string", "no text", words.encode, words)
    t.refuses("pair is number", "a pair that is none", words.encode, words, "a", 3)
  end

  local function test_refused(model)
    local function refuses(pattern, ...) t.refuses(pattern, pattern, model.encode, model, ...) end
    refuses("sentences is number", 3)
    refuses("sentences%[2%] is number; expected a string, or two of them", { "a", 3 })
    refuses("sentences%[1%] is table", { { "a", "b", "c" } })
    refuses("sentences%[2%]: byte 1 of the text, 0xFF, is not UTF%-8", { "a", "a\255" })
    refuses("there is no option normalize;", "a", { normalize = true })
    refuses("batch_size is 0; expected a whole number", "a", { batch_size = 0 })
    refuses("truncate_dim is 49; expected 1..48", "a", { truncate_dim = 49 })
    refuses("output_value is rows", "a", { output_value = "rows" })
    refuses("prompt is number", "a", { prompt = 1 })
  end

  local function test_which()
    local bare = t.folder .. "/text/bare.gap"
    call(("pack --allow-random 3 --no-tokenizer --output %s"):format(bare))
    os.remove(json)
    local model = module.load(bare)
    t.refuses("no tokenizer.json in the folder of the weights", "no tokenizer", model.encode, model, "a")
    assert(os.execute("mkfifo " .. json))
    t.refuses("a pipe or device; expected a regular file", "a pipe is not waited for", model.encode, model, "a")
    t.refuses("a pipe or device; expected a regular file", "nor one that is named", module.load, bare,
      { tokenizer = json })
    os.remove(json)
    t.refuses("absent", "a tokenizer that is not there", module.load, bare, { tokenizer = t.folder .. "/absent" })
    write("tokenizer.json", bert_tokenizer())
    t.check(model:encode("a dog").n == WIDTH, "a tokenizer beside the weights")
    write("other.json", (bert_tokenizer():gsub('"##s": 11', '"##s": 50')))
    t.refuses("has ids up to 50; expected below 50", "ids that the model lacks", module.load, bare,
      { tokenizer = t.folder .. "/text/other.json" })
    local kind = rawget(_G, "jit") and require "genattn.text_ffi" or require "genattn.text_core"
    local function spec(digits) return ('name = "x"\n  tokenizer = "%s"\n'):format(digits) end
    local made = kind.open("", json)
    t.check(not kind.is_other(made, spec(hash.hex(bert_tokenizer()))) and not kind.is_other(made, "") and
      kind.is_other(made, spec(("0"):rep(16))), "the hash that a spec records")
    local core = { facts = { name = "it", vocab_size = 50, spec = spec(("0"):rep(16)) },
      is_packed = function() return false end }
    t.refuses("it was made for another tokenizer", "another model's tokenizer", require "genattn.text", core, nil, json)
  end

  local function test_models_without()
    local both = require("transformer_40_2").load(t.folder .. "/both.gap")
    t.refuses("transformer_40_2 gives no vector of a sequence", "a model without vectors", both.encode, both, "a")
    t.refuses("transformer_40_2 takes no token ids", "a model without tokens", function() return both.tokenizer end)
    local cpath = package.cpath
    package.cpath = "nowhere/?.so"
    local model = setmetatable({}, getmetatable(both))
    model.core = { facts = { name = "it", vocab_size = 50 } }
    t.refuses("it: it was built without text: ./configure found no", "a build without text",
      function() return model.tokenizer end)
    package.cpath = cpath
  end

  compat.execute(("mkdir -p %s/text"):format(t.folder))
  write("tokenizer.json", bert_tokenizer())
  call(("pack --allow-random 3 --tokenizer %s --output %s"):format(json, packed))
  local model = module.load(packed)
  local all = test_vectors(model)
  test_shapes(model, all)
  test_numbers(model, all)
  test_tokenizer(model)
  test_refused(model)
  test_which()
  test_models_without()
end
