-- program_late.lua: vectors of tokens: `embed --tokens-out` and `rank` of a model of late interaction give what `run`
-- computes of the same ids, with markers, tokens that fill a query, and tokens that do not count; and `rank` of a
-- decoder that answers with a token gives the logits that `run` computes. Weights are made up.

local files = require "program_files"

local JSON = [[{"version":"1.0","truncation":null,"padding":null,"added_tokens":[{"id":5,"content":"[SEP]",
"single_word":false,"lstrip":false,"rstrip":false,"normalized":false,"special":true}],"decoder":null,
"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"Whitespace"},
"post_processor":{"type":"BertProcessing","sep":["[SEP]",5],"cls":["[CLS]",6]},
"model":{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":20,
"vocab":{"?":0,"cat":1,"##s":2,"a":3,"\"":4,"[SEP]":5,"[CLS]":6,"dog":7,"wet":8,"day":9}}}]]

local DOCUMENTS = { "a cats", "", 'wet "dog"', "a wet day", ("cat a "):rep(20), "cat" }
local QUERY = "wet dog"
local WIDTH, QUERY_LENGTH, DOCUMENT_LENGTH, UNSCORED = 21, 9, 12, 3

return function(path, expect_run, expect, choose)
  local write = files.writer(path)
  local tensor = files.tensor

  -- The ids of each line of a file, without padding.
  local function ids_of(name)
    local lists = {}
    for line in expect_run(0, "tokenize --tokenizer %tokenizer --text %" .. name):gmatch("([^\n]*)\n") do
      local ids = {}
      for id in line:gmatch("%d+") do ids[#ids + 1] = tonumber(id) end
      lists[#lists + 1] = ids
    end
    return lists
  end

  -- Ids with a marker after the first, cut before the last to so many.
  local function marked(ids, marker, most)
    local list = { ids[1], marker }
    for i = 2, #ids do list[#list + 1] = ids[i] end
    while #list > most do table.remove(list, #list - 1) end
    return list
  end

  -- What `run` gives of one sequence: rows of an output of so many numbers. seen: how many ids its rows see.
  local function run_ids(ids, output, width, seen)
    local given = { tensor("tokens", "I32", { 1, #ids }, ids) }
    if seen then
      given[2] = tensor("mask", "I32", { #ids, #ids }, function(i) return i % #ids < seen and 1 or 0 end)
    end
    files.write(path "in", given)
    expect_run(0, "run --allow-random 3 --input %in --output %result --outputs " .. output)
    local values, rows = files.read(path "result")[output].values, {}
    for i = 1, #values, width do
      rows[#rows + 1] = {}
      for c = 1, width do rows[#rows][c] = values[i + c - 1] end
    end
    return rows
  end

  local function documents()
    local all = {}
    for i, ids in ipairs(ids_of "documents") do
      ids = marked(ids, 11, DOCUMENT_LENGTH)
      local rows, kept = run_ids(ids, "logits", WIDTH), {}
      for k, id in ipairs(ids) do kept[#kept + 1] = id ~= UNSCORED and rows[k] or nil end
      all[i] = kept
    end
    return all
  end

  local function query()
    local ids = marked(ids_of("query")[1], 10, QUERY_LENGTH)
    local seen = #ids
    while #ids < QUERY_LENGTH do ids[#ids + 1] = 0 end
    return run_ids(ids, "logits", WIDTH, seen)
  end

  local function starts_of(name, from, count)
    local bytes, list = files.slurp(path(name)), {}
    for i = 1, count do
      local b1, b2 = bytes:byte(from + 8 * (i - 1) + 1, from + 8 * (i - 1) + 2)
      list[i] = b1 + 256 * b2
    end
    return list
  end

  -- The vectors in a file are those of the texts, to the bit.
  local function expect_vectors(name, wanted, what)
    local found, at = files.read(path(name)).embedding, 0
    local starts = starts_of(name, #files.slurp(path(name)) - 8 * (#wanted + 1), #wanted + 1)
    for i, rows in ipairs(wanted) do
      expect(starts[i] * WIDTH == at, "%s: text %d begins at %d, expected %d", what, i, starts[i], at / WIDTH)
      for _, row in ipairs(rows) do
        for c = 1, WIDTH do
          at = at + 1
          expect(found.values[at] == row[c], "%s: text %d, number %d: %s, expected %s", what, i, at, found.values[at],
            row[c])
        end
      end
    end
    expect(found.shape == ("%d,%d"):format(at / WIDTH, WIDTH) and starts[#starts] * WIDTH == at,
      "%s: shape %s, %d rows by starts", what, found.shape, starts[#starts])
  end

  local EMBED = "embed --allow-random 3 --tokenizer %tokenizer --tokens-out --text "

  local function test_embed(of_documents, of_query)
    expect_run(0, EMBED .. "%documents --output %vectors.safetensors", "of 6 texts")
    expect_vectors("vectors.safetensors", of_documents, "documents")
    local bytes = files.slurp(path "vectors.safetensors")
    for _, option in ipairs({ "--rows 1", "--rows 9 --threads 3" }) do
      expect_run(0, EMBED .. "%documents --output %other.safetensors " .. option)
      expect(files.slurp(path "other.safetensors") == bytes, "%s gives other bytes", option)
    end
    expect_run(0, EMBED .. "%query --prompt query --output %vectors.safetensors", "[9, 21] of 1 texts")
    expect_vectors("vectors.safetensors", { of_query }, "query")
    expect_run(0, EMBED .. "%documents --output %vectors.npy")
    expect(files.slurp(path "vectors.npy"):find("'shape': (", 1, true), "no array in vectors.npy")
    local starts = files.slurp(path "vectors.starts.npy")
    expect(starts:find("'descr': '<i8', 'fortran_order': False, 'shape': (7,)", 1, true), "starts: %s", starts)
    local json = expect_run(0, EMBED .. "%documents --format json")
    expect(select(2, json:gsub("\n", "")) == 6 and json:find('"embedding": %[%[%-?[%d.]+'), "printed %s", json)
  end

  local function max_sim(a, b)
    local sum = 0
    for _, x in ipairs(a) do
      local highest = -math.huge
      for _, y in ipairs(b) do
        local product = 0
        for c = 1, WIDTH do product = product + x[c] * y[c] end
        highest = math.max(highest, product)
      end
      sum = sum + highest
    end
    return sum
  end

  -- Lines of `rank` are the documents with these scores, to a millionth of them, the best first.
  local function expect_scores(args, wanted)
    local count, last = 0, math.huge
    for score, line in expect_run(0, args):gmatch("(%S+)\t(%d+)\t[^\n]*\n") do
      score, count = tonumber(score), count + 1
      expect(score <= last, "%s: line %d is better than the one before", args, count)
      expect(math.abs(score - wanted[tonumber(line)]) <= 1e-5 * (1 + math.abs(score)), "%s: document %s: score %s, " ..
        "expected %s", args, line, score, wanted[tonumber(line)])
      last = score
    end
    expect(count == #wanted, "%s: printed %d lines, expected %d", args, count, #wanted)
  end

  local RANK = ("rank --allow-random 3 --tokenizer %%tokenizer --query '%s' --documents %%documents "):format(QUERY)

  local function test_late()
    choose "colbert_40_4"
    local of_documents, of_query, scores = documents(), query(), {}
    test_embed(of_documents, of_query)
    for i, rows in ipairs(of_documents) do scores[i] = max_sim(of_query, rows) end
    expect_scores(RANK, scores)
    expect(expect_run(0, RANK .. "--rows 1 --threads 2") == expect_run(0, RANK), "rank depends on batches or threads")
    local _, said = expect_run(0, RANK)
    expect(said:find("1 of 6 documents were cut", 1, true), "no word of the document that was cut: %s", said)
    expect_run(2, "embed --allow-random 3 --tokenizer %tokenizer --text %documents --format json",
      "--tokens-out is missing")
    expect_run(2, EMBED .. "%documents --output %v.safetensors --dims 3", "--tokens-out has no meaning with --dims")
    expect_run(2, EMBED .. "%documents --output %v --shard 0/2", "--tokens-out has no meaning with --shard")
  end

  -- The text of each pair by hand; a long document loses tokens before those of "[SEP] day".
  local function test_answers()
    choose "answers_36_3"
    local pairs_of, scores = {}, {}
    for i, text in ipairs(DOCUMENTS) do pairs_of[i] = ("wet %s a %s [SEP] day"):format(QUERY, text) end
    write("pairs", table.concat(pairs_of, "\n") .. "\n")
    for i, ids in ipairs(ids_of "pairs") do
      while #ids > 24 do table.remove(ids, #ids - 3) end
      local logits = run_ids(ids, "last_logits", 12)[1]
      scores[i] = logits[10] - logits[8]
    end
    expect_scores(RANK .. "--activation none", scores)
    local best = {}
    for i, score in ipairs(scores) do best[i] = 1 / (1 + math.exp(-score)) end
    expect_scores(RANK, best)
  end

  if not files.slurp("out/config.ninja"):find("text_libraries = %S") then return end -- program_text says so
  write("tokenizer", JSON)
  write("documents", table.concat(DOCUMENTS, "\n") .. "\n")
  write("query", QUERY .. "\n")
  test_late()
  test_answers()
end
