-- program_rank.lua: `rank` of programs whose models are cross-encoders: its scores are those that `run` computes of the
-- pairs that `tokenize` makes, best first; what is printed, what is refused. Weights are made up.

local files = require "program_files"

local JSON = [[{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"decoder":null,
"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"Whitespace"},
"post_processor":{"type":"BertProcessing","sep":["[SEP]",5],"cls":["[CLS]",6]},
"model":{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":20,
"vocab":{"?":0,"cat":1,"##s":2,"a":3,"\"":4,"[SEP]":5,"[CLS]":6,"dog":7,"wet":8,"day":9}}}]]

local DOCUMENTS = { "a cats", "", 'wet "dog"', "a wet day", "cat", "cat" }

return function(path, expect_run, expect, choose)
  local write = files.writer(path)

  local RANK = "rank --allow-random 3 --tokenizer %tokenizer --query 'A dog' --documents %documents "

  -- The class_logits of the pairs, by tokenize and run: [document][label].
  local function expected(n_labels, has_types)
    write("queries", ("A dog\n"):rep(#DOCUMENTS))
    local printed = expect_run(0, "tokenize --tokenizer %tokenizer --text %queries --pair %documents --format json")
    local tokens, types, lengths, longest = {}, {}, {}, 20
    for line in printed:gmatch("[^\n]+") do
      local length = 0
      for id in line:match('"ids": %[([%d,]*)%]'):gmatch("%d+") do
        length = length + 1
        tokens[#lengths * longest + length] = tonumber(id)
      end
      length = 0
      for type_id in line:match('"type_ids": %[([%d,]*)%]'):gmatch("%d+") do
        length = length + 1
        types[#lengths * longest + length] = tonumber(type_id)
      end
      lengths[#lengths + 1] = length
    end
    for i = 1, #DOCUMENTS * longest do tokens[i], types[i] = tokens[i] or 0, types[i] or 0 end
    local shape = { #DOCUMENTS, longest }
    files.write(path "in", { files.tensor("tokens", "I32", shape, tokens),
      files.tensor("lengths", "I32", { #DOCUMENTS }, lengths),
      has_types and files.tensor("token_types", "I32", shape, types) or nil })
    expect_run(0, "run --allow-random 3 --input %in --output %result --outputs class_logits")
    local values, rows = files.read(path "result").class_logits.values, {}
    for i = 1, #DOCUMENTS do
      rows[i] = {}
      for label = 1, n_labels do rows[i][label] = values[(i - 1) * n_labels + label] end
    end
    return rows
  end

  -- The lines that rank prints where `of` makes scores of a document's logits.
  local function lines(rows, label, of)
    local order, list = {}, {}
    for i = 1, #rows do order[i] = i end
    table.sort(order, function(a, b)
      if rows[a][label] ~= rows[b][label] then return rows[a][label] > rows[b][label] end
      return a < b
    end)
    for place, at in ipairs(order) do
      list[place] = { scores = of(rows[at]), text = ("\t%d\t%s"):format(at, DOCUMENTS[at]) }
    end
    return list
  end

  -- What was printed has the scores to a millionth, and all else to the byte.
  local function expect_ranked(args, wanted)
    local place = 0
    for line in expect_run(0, args):gmatch("([^\n]*)\n") do
      place = place + 1
      local scores, rest = line:match("^([^\t]*)(\t.*)$")
      local label, one = 0, wanted[place] or { scores = {}, text = "nothing" }
      for score in scores:gmatch("%S+") do
        label = label + 1
        local off = math.abs(tonumber(score) - (one.scores[label] or 1 / 0))
        expect(off < 1e-6, "%s: line %d: score %s, expected %s", args, place, score, one.scores[label])
      end
      expect(label == #one.scores and rest == one.text, "%s: line %d: %s, expected %s", args, place, rest, one.text)
    end
    expect(place == #wanted, "%s: printed %d lines, expected %d", args, place, #wanted)
  end

  local function same(row) return row end

  local function each(f)
    return function(row)
      local made = {}
      for i, logit in ipairs(row) do made[i] = f(logit, row) end
      return made
    end
  end

  local sigmoid = each(function(logit) return 1 / (1 + math.exp(-logit)) end)
  local softmax = each(function(logit, row)
    local sum = 0
    for _, other in ipairs(row) do sum = sum + math.exp(other) end
    return math.exp(logit) / sum
  end)

  local function test_one_label()
    choose "classifier_40_4"
    local rows = expected(1, true)
    expect_ranked(RANK, lines(rows, 1, sigmoid))
    expect_ranked(RANK .. "--activation none --rows 1", lines(rows, 1, same))
    expect_ranked(RANK .. "--activation softmax --threads 2", lines(rows, 1, softmax))
    local best = lines(rows, 1, same)
    local two = { best[1], best[2] }
    expect_ranked(RANK .. "--activation none --top 2 --label 0", two)
    local json = expect_run(0, RANK .. "--format json --top 1")
    local line, text = best[1].text:match("\t(%d+)\t(.*)")
    local after = ('"line": %s, "text": "%s"}\n'):format(line, (text:gsub('"', '\\"')))
    expect(json:match('^{"score": [%d.]+, (.*)$') == after, "printed %s", json)
  end

  local function test_several_labels()
    choose "classifier_29"
    local rows = expected(19, false)
    expect_ranked(RANK .. "--label 4", lines(rows, 5, same))
    expect_ranked(RANK .. "--label 18 --activation softmax", lines(rows, 19, softmax))
    local json = expect_run(0, RANK .. "--label 2 --top 1 --format json")
    expect(json:find('"scores": %[[%d.,e -]+%]}\n$'), "printed %s", json)
    expect_run(2, RANK, "has 19 labels; --label 0 to 18 says which one ranks")
    expect_run(2, RANK .. "--label 19", "--label 19", "0..18")
  end

  local function test_read()
    choose "classifier_40_4"
    write("documents", "a\ncat\0dog\0")
    local out = expect_run(0, RANK .. "-0 --activation none")
    local _, ends = out:gsub("%z", "")
    expect(ends == 2 and out:find("\t1\ta\ncat\0", 1, true) and out:find("\t2\tdog\0", 1, true), "printed %s", out)
    write("documents", ("cat "):rep(50) .. "\ncat\n")
    local _, said = expect_run(0, RANK)
    expect(said:find("1 of 2 pairs were cut to 40 tokens", 1, true), "no word of the pair that was cut: %s", said)
  end

  local function test_refused()
    write("documents", "a\na \255\n")
    expect_run(1, RANK, "line 2: byte 2 of the text, 0xFF, is not UTF-8")
    expect_run(1, RANK:gsub("A dog", "\255"), "--query: byte 0 of the text")
    write("documents", "")
    expect_run(1, RANK, "has no documents; expected one a line")
    expect_run(1, RANK:gsub("%%documents", "%%none"), path "none")
    expect_run(2, RANK .. "--activation tanh", "--activation tanh: expected sigmoid, softmax or none")
    expect_run(2, RANK .. "--format ids", "--format ids: expected text or json")
    expect_run(2, RANK .. "--top 0", "--top 0")
    expect_run(2, RANK:gsub("%-%-query 'A dog'", ""), "--query TEXT is missing")
    choose "bert_48_4"
    expect_run(1, RANK, "has no classifier; its spec would say classifier = { labels = 1 }")
    choose "transformer_40_2"
    expect_run(1, RANK, "is not an encoder")
  end

  if not files.slurp("out/config.ninja"):find("text_libraries = %S") then return end -- program_text says so
  write("tokenizer", JSON)
  write("documents", table.concat(DOCUMENTS, "\n") .. "\n")
  test_one_label()
  test_several_labels()
  test_read()
  test_refused()
end
