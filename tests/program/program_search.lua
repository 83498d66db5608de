-- program_search.lua: `search` of a program whose model pools the rows of token ids: what is found, what is computed
-- again and what is not, what is refused. A part of program_text.lua, which writes %tokenizer and chooses the model.

local files = require "program_files"

local WIDTH = 48
local FIVE = { "a cats", "cat", "dog cats cats", "", 'a "cat" \\' }

return function(path, expect_run, expect)
  local write = files.writer(path)

  local function write_texts(texts) write("corpus", table.concat(texts, "\n") .. "\n") end

  local INDEX = path "corpus" .. ".bert_48_4.safetensors"
  local SEARCH = "search --allow-random 1 --tokenizer %tokenizer --corpus %corpus "

  -- Searches and expects each text in what is said beside what is found, which it returns.
  local function search(args, ...)
    local out, said = expect_run(0, SEARCH .. args)
    for _, text in ipairs { ... } do
      expect(said:find(text, 1, true), "%s: no \"%s\" in\n%s", args, text, said)
    end
    return out, said
  end

  -- What is found of all texts, from the vectors that embed writes, best first, of equal ones the first first.
  local function expected(query, texts, top)
    write("both", query .. "\n" .. table.concat(texts, "\n") .. "\n")
    expect_run(0, "embed --allow-random 1 --tokenizer %tokenizer --text %both --output %result")
    local values, hits = files.read(path "result").embedding.values, {}
    local function product(a, b)
      local sum = 0
      for i = 1, WIDTH do sum = sum + values[a * WIDTH + i] * values[b * WIDTH + i] end
      return sum
    end
    for i, text in ipairs(texts) do
      local squares = product(0, 0) * product(i, i)
      hits[i] = { score = squares > 0 and product(0, i) / squares ^ 0.5 or 0, text = text, place = i }
    end
    table.sort(hits, function(a, b)
      if math.abs(a.score - b.score) > 1e-12 then return a.score > b.score end
      return a.place < b.place
    end)
    local lines = {}
    for i = 1, math.min(top, #hits) do lines[i] = ("%.3f  %s\n"):format(hits[i].score, hits[i].text) end
    return table.concat(lines)
  end

  local function expect_found(found, wanted)
    expect(found == wanted, "found\n%s\nexpected\n%s", found, wanted)
  end

  local function test_found()
    local wanted = expected("cats", FIVE, 5)
    write_texts(FIVE)
    os.remove(INDEX)
    expect_found(search("cats", "corpus.bert_48_4.safetensors: 5 texts, 5 new"), wanted)
    local index = files.slurp(INDEX)
    expect_found(search("cats --threads 3", "5 texts, 0 new"), wanted)
    expect(files.slurp(INDEX) == index, "an index that was up to date was changed")
    expect_found(search("cats --top 100"), wanted)
    expect_found(search("cats --top 1"), wanted:match("^[^\n]*\n"))
    expect_found(search("cats --index %other_index", "other_index: 5 texts, 5 new"), wanted)
    expect(files.slurp(path "other_index") == index, "an index has other bytes under another name")
    write("queries", "cats\na\n")
    local both = "cats\n" .. wanted:gsub("[^\n]+", "  %0") .. "\na\n" .. expected("a", FIVE, 5):gsub("[^\n]+", "  %0")
    expect_found(search("< %queries"), both)
    expect_found(search("cats a"), both)
    write("corpus", table.concat(FIVE, "\0"))
    expect_found(search("-0 cats", "5 texts, 0 new"), wanted)
  end

  local function test_json()
    write_texts(FIVE)
    local out, said = search("'a \"cat\" \\' --format json --top 1")
    local start = '{"query": "a \\"cat\\" \\\\", "line": 5, "score": '
    expect(out:sub(1, #start) == start and out:find(', "text": "a \\"cat\\" \\\\"}\n', 1, true), "printed\n%s%s", out,
      said)
    expect(math.abs(tonumber(out:match('"score": ([^,]*)')) - 1) < 1e-6, "a text is not nearest to itself: %s", out)
  end

  -- The index of a corpus has the same bytes whatever it was before.
  local function test_changed()
    local function expect_anew(...)
      local found = search("cats", ...)
      local index = files.slurp(INDEX)
      os.remove(INDEX)
      expect_found(search("cats"), found)
      expect(files.slurp(INDEX) == index, "%s: the index is other than one made at once", (...))
    end
    local texts = { FIVE[1], FIVE[2], FIVE[3], FIVE[4], FIVE[5], "cat cat", "dog" }
    write_texts(texts)
    expect_anew "7 texts, 2 new"
    texts[2] = "a a"
    write_texts(texts)
    expect_anew "7 texts, 1 new"
    write_texts { "dog", "dog", FIVE[3] }
    expect_anew "3 texts, 0 new"
    write_texts(FIVE)
    expect_anew "5 texts, 4 new"
  end

  -- An index is of the weights, not of the instruction set: each set writes the same one, and takes that of another,
  -- also with the same weights packed.
  local function test_portable()
    write_texts(FIVE)
    os.remove(INDEX)
    local sets = files.isas(expect_run(0, "info --json"))
    local found = search(("cats --format json --isa %s"):format(sets[#sets]), "5 texts, 5 new")
    local index = files.slurp(INDEX)
    expect_run(0, "pack --allow-random 1 --output %w.gap --isa all")
    local packed = SEARCH:gsub("%-%-allow%-random 1", "--weights %%w.gap")
    local function expect_same(with, isa, new)
      local out, said = expect_run(0, ("%scats --format json --isa %s"):format(with, isa))
      expect(out == found, "%s: found\n%s\nby another set\n%s", isa, out, found)
      expect(said:find(("5 texts, %d new"):format(new), 1, true), "%s: %s", isa, said)
      expect(files.slurp(INDEX) == index, "%s: another index than by %s", isa, sets[#sets])
    end
    for _, isa in ipairs(sets) do
      expect_same(SEARCH, isa, 0)
      expect_same(packed, isa, 0)
      os.remove(INDEX)
      expect_same(packed, isa, 5)
    end
    expect_run(0, "pack --allow-random 2 --output %w.gap")
    local _, said = expect_run(0, packed .. "cats")
    expect(said:find("made with other weights; it is made anew", 1, true), "of other packed weights: %s", said)
    write("corpus.bert_48_4.safetensors", index)
  end

  -- Another maker, and damage: both are said, and the index is as it should be.
  local function test_stale()
    local index = files.slurp(INDEX)
    local function expect_repaired(...)
      search("cats", ...)
      expect(files.slurp(INDEX) == index, "%s: the index is other than before", (...))
    end
    -- Of another release, and of one before there were revisions.
    local revision = index:match('"bits_revision":"(%d+)"')
    local other = ("9"):rep(#revision)
    for found, key in pairs { [other] = "bits_revision", none = "of_no_meaning" } do
      local old, replaced = index:gsub('"bits_revision":"%d+"', ('"%s":"%s"'):format(key, other))
      write("corpus.bert_48_4.safetensors", old)
      expect(replaced == 1, "no bits revision in the index")
      expect_repaired(("another bits revision; it is made anew (bits_revision: found %s, expected %s)"):format(found,
        revision), "5 texts, 5 new")
    end
    local _, said = expect_run(0, SEARCH:gsub("random 1", "random 2") .. "cats")
    expect(said:find("made with other weights; it is made anew (weights: found ", 1, true) and
      said:find("5 texts, 5 new", 1, true), "said %s", said)
    expect_repaired("other weights", "5 new")
    local tokenizer = files.slurp(path "tokenizer")
    write("tokenizer", tokenizer .. "\n")
    search("cats", "made with another tokenizer; it is made anew", "5 new")
    write("tokenizer", tokenizer)
    expect_repaired("another tokenizer", "5 new")
    local at = 1024 + 2 * WIDTH * 4 + 7
    write("corpus.bert_48_4.safetensors", index:sub(1, at - 1) .. "\1" .. index:sub(at + 1))
    expect_repaired("1 of 5 vectors are damaged; they are computed again", "5 texts, 1 new")
    write("corpus.bert_48_4.safetensors", index:sub(1, -2))
    expect_repaired("the index is made anew", "5 new")
    write("corpus.bert_48_4.safetensors", (index:gsub('"embedding"', '"embeddinh"')))
    expect_repaired("has no tensors embedding F32 [texts, 48] and entries U8 [texts, 24]", "5 new")
  end

  -- A bad text in the second block: what was computed of the first is there when it was put right.
  local function test_kept()
    local texts = {}
    for i = 1, 8300 do texts[i] = "a" end
    texts[8300] = "\255"
    write_texts(texts)
    os.remove(INDEX)
    expect_run(1, SEARCH .. "cats", "corpus: line 8300: byte 0 of the text", "keeps what was computed of 8192 texts")
    texts[1], texts[8300] = "dog", "cat"
    write_texts(texts)
    search("cats --top 1", "8300 texts, 2 new")
    local index = files.slurp(INDEX)
    texts[2] = "\255"
    write_texts(texts)
    expect_run(1, SEARCH .. "cats", "line 2: byte 0")
    expect(files.slurp(INDEX) == index, "an index was changed where nothing was computed")
    os.remove(INDEX)
    write_texts(FIVE)
  end

  -- A corpus without texts has an index like any other, and so has an empty file in its place.
  local function test_empty()
    write("corpus", "")
    os.remove(INDEX)
    expect(search("cats", "corpus: has no texts", "0 texts, 0 new") == "", "something was found of nothing")
    write_texts(FIVE)
    local found = search("cats", "5 texts, 5 new")
    local index = files.slurp(INDEX)
    write("corpus", "")
    for _, query in ipairs { "cats --threads 2", "cats --format json" } do
      expect(search(query, "corpus: has no texts", "0 texts, 0 new") == "", "%s: found of nothing", query)
    end
    expect(#files.slurp(INDEX) == 1024, "an index of no texts holds some")
    write_texts(FIVE)
    expect_found(search("cats", "5 texts, 5 new"), found)
    write("other_index", "")
    expect_found(search("cats --index %other_index", "5 texts, 5 new"), found)
    expect(files.slurp(INDEX) == index and files.slurp(path "other_index") == index, "another index after an empty one")
  end

  local function test_refused()
    for _, content in ipairs { "a page of mine", files.slurp(path "result") } do
      write("mine", content)
      expect_run(1, SEARCH .. "cats --index %mine", path "mine" .. ": is not an index that search made, so it",
        "--index FILE gives another name")
      expect(files.slurp(path "mine") == content, "a file that is no index was changed")
    end
    expect_run(1, SEARCH .. "cats --index %corpus", "is not an index")
    expect_run(1, SEARCH .. "cats --index %nowhere/there", "--index FILE puts the index elsewhere")
    expect_run(2, SEARCH .. "cats --top 0", "--top 0: out of range, 1..100000")
    expect_run(2, SEARCH .. "cats --format xml", "--format xml: expected text or json")
    expect_run(2, "search --allow-random 1 --tokenizer %tokenizer cats", "--corpus FILE is missing")
    expect_run(2, "search --allow-random 1 --corpus %corpus cats", "no tokenizer")
    expect_run(2, "search --tokenizer %tokenizer --corpus %corpus cats", "--weights PATH is missing")
    expect_run(1, SEARCH .. "'\255'", "QUERY: text 1: byte 0 of the text, 0xFF, is not UTF-8")
    expect_run(1, SEARCH:gsub("%%corpus", "%%nowhere") .. "cats", path "nowhere" .. ": cannot be read")
    expect_run(1, SEARCH:gsub("%%corpus", "/dev/null") .. "cats", "/dev/null: is not a regular file; expected one")
    write("corpus", "a\na \255\n")
    expect_run(1, SEARCH .. "cats", "corpus: line 2: byte 2 of the text, 0xFF, is not UTF-8")
    local out = search("cats --replace-invalid --format json", "2 texts, 2 new")
    expect(out:find('"text": "a \239\191\189"', 1, true), "printed\n%s", out)
  end

  test_found()
  test_json()
  test_changed()
  test_portable()
  test_stale()
  test_kept()
  test_empty()
  test_refused()
end
