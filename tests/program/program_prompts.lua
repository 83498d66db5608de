-- program_prompts.lua: prompts by name before the texts of `embed` and `search`, rows of fewer numbers, and scores that
-- are not cosines, of a program whose model has linears after pooling. A part of program_text.lua, which writes
-- %tokenizer.

local files = require "program_files"

local WIDTH, FEW = 23, 5

return function(path, expect_run, expect, choose)
  local write = files.writer(path)
  local EMBED = "embed --allow-random 1 --tokenizer %tokenizer --text %texts --output %result "

  -- The vectors of texts, each a list.
  local function vectors(texts, options, width)
    write("texts", table.concat(texts, "\n") .. "\n")
    expect_run(0, EMBED .. (options or ""))
    local values, rows = files.read(path "result").embedding.values, {}
    for i = 1, #texts do
      rows[i] = {}
      for c = 1, width or WIDTH do rows[i][c] = values[(i - 1) * (width or WIDTH) + c] end
    end
    return rows
  end

  local function expect_same(what, found, wanted)
    for i, row in ipairs(wanted) do
      expect(table.concat(found[i], " ") == table.concat(row, " "), "%s: vector %d differs", what, i)
    end
  end

  local function distance(a, b)
    local sum = 0
    for c = 1, #a do sum = sum + (a[c] - b[c]) ^ 2 end
    return sum ^ 0.5
  end

  local function test_names()
    expect_same("--prompt query", vectors({ "a", "dog" }, "--prompt query"), vectors { "cat a", "cat dog" })
    expect_same("--prompt passage", vectors({ "cats" }, "--prompt passage"), vectors { "a dog cats" })
    expect_same("--prompt cluster", vectors({ "cats" }, "--prompt cluster"), vectors { "cats" })
    expect(distance(vectors({ "a" }, "--prompt query")[1], vectors { "a" }[1]) > 0, "a prompt changes no vector")
    expect_run(2, EMBED .. "--prompt question",
      "--prompt question: dense_36_4 has no such prompt; expected one of query, passage, cluster")
    expect_run(2, "embed --allow-random 1 --tokens %texts --output %result --prompt query", "--prompt needs --text")
    expect_run(0, EMBED:gsub("%%result", "%%shard") .. "--prompt query --shard 0/1")
    expect_run(1, EMBED:gsub("%%result", "%%shard") .. "--shard 0/1 --resume", "was made with another prompt")
  end

  local function test_dims()
    local whole, few = vectors { "a", "dog cats" }, vectors({ "a", "dog cats" }, "--dims 5", FEW)
    for i, row in ipairs(whole) do
      local square, ones = 0, 0
      for c = 1, FEW do square = square + row[c] ^ 2 end
      for c = 1, FEW do
        ones = ones + few[i][c] ^ 2
        expect(math.abs(few[i][c] - row[c] / math.max(square ^ 0.5, 1e-12)) < 1e-6, "--dims: number %d of %d", c, i)
      end
      expect(square == 0 or math.abs(ones - 1) < 1e-6, "--dims: a row of length %.9g", ones ^ 0.5)
    end
    expect_run(2, EMBED .. "--dims 24", "--dims", "1..23")
  end

  local function found(options)
    local out = expect_run(0, "search --allow-random 1 --tokenizer %tokenizer --corpus %corpus --format json " ..
      (options or "") .. " dog")
    local scores = {}
    for line, score in out:gmatch '"line": (%d+), "score": ([^,]*)' do scores[tonumber(line)] = tonumber(score) end
    return scores
  end

  local function test_search()
    local texts, corpus = { "cats", "a", "dog dog" }, {}
    write("corpus", table.concat(texts, "\n") .. "\n")
    for i, text in ipairs(texts) do corpus[i] = "a dog " .. text end
    for _, case in ipairs { { "", WIDTH }, { "--dims 5", FEW } } do
      local scores = found(case[1])
      local query, documents = vectors({ "cat dog" }, case[1], case[2])[1], vectors(corpus, case[1], case[2])
      for i, document in ipairs(documents) do
        local wanted = -distance(query, document)
        expect(math.abs(scores[i] - wanted) < 1e-6, "search %s: score %.9g of line %d, expected %.9g", case[1],
          scores[i], i, wanted)
      end
    end
  end

  choose "dense_36_4"
  test_names()
  test_dims()
  test_search()
  choose "bert_48_4"
  expect_run(2, EMBED .. "--prompt query", 'has no prompts by name; its spec would say text_input = { prompts = ')
end
