-- program_text.lua: `tokenize`, `detokenize` and `embed --text` of programs whose models take token ids: what is
-- printed, what is read from where, what is refused. tests/text has what tokens a text becomes.

package.path = "generator/?.lua;" .. package.path

local files = require "program_files"
local hash = require "base.hash"

local JSON = [[{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],
"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,
"decoder":{"type":"WordPiece","prefix":"##","cleanup":false},
"model":{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":20,
"vocab":{"?":0,"cat":1,"##s":2,"a":3,"\"":4}}}]]

-- What the spec of gpt2_48_4 records.
local RECORDED = hash.hex(JSON)

return function(path, expect_run, expect, choose)
  local write = files.writer(path)

  local function expect_lines(args, lines)
    local out = expect_run(0, args)
    expect(out == lines, "%s: printed\n%s\nexpected\n%s", args, out, lines)
  end

  local function test_printed()
    expect_lines("tokenize --tokenizer %tokenizer --text %texts", "3 1 2\n\n0 4\n")
    expect_lines("tokenize --tokenizer %tokenizer --text %texts --format json", '{"ids": [3,1,2], "tokens": ["a", ' ..
      '"cat", "##s"], "offsets": [[0, 1], [2, 5], [5, 6]], "type_ids": [0,0,0], "special": [0,0,0]}\n' ..
      '{"ids": [], "tokens": [], "offsets": [], "type_ids": [], "special": []}\n' ..
      '{"ids": [0,4], "tokens": ["?", "\\""], "offsets": [[0, 3], [4, 5]], "type_ids": [0,0], "special": [0,0]}\n')
    expect_lines("tokenize --tokenizer %tokenizer --text %texts --pair %texts", "3 1 2 3 1 2\n\n0 4 0 4\n")
    expect_lines("tokenize --tokenizer %tokenizer --text %zeros -0", "3\n1\n")
    write("ids", "3 1 2\n\n1, 2 69\n")
    expect_lines("detokenize --tokenizer %tokenizer --ids %ids", "a cats\n\ncats\n")
    expect_lines("detokenize --tokenizer %tokenizer --ids %ids -0", "a cats\0\0cats\0")
    expect_lines("tokenize --tokenizer %tokenizer --text %broken --replace-invalid", "3\n3 0\n")
  end

  -- A file of packed weights brings its tokenizer along; the one that --tokenizer names goes before it.
  local function test_packed()
    expect_run(0, "info", "made for the tokenizer.json of hash " .. RECORDED)
    expect_run(0, "info --json", ('"tokenizer": "%s"'):format(RECORDED))
    local pack = "pack --allow-random 1 --output %w.gap "
    local packed = expect_run(0, pack .. "--tokenizer %tokenizer", "w.gap: tokenizer " .. RECORDED .. " of ")
    local size = packed:match "tokenizer, (%d+) bytes"
    expect_run(0, "inspect %w.gap", ("tokenizer %s bytes at "):format(size), "hash " .. RECORDED, ": sound")
    expect(files.slurp(path "w.gap"):find('"vocab":{}', 1, true), "the vocabulary is packed as JSON")
    expect_run(0, "inspect %w.gap --json", '"attachments": [', '"name": "tokenizer"', '"hash": "')
    expect_lines("tokenize --weights %w.gap --text %texts", "3 1 2\n\n0 4\n")
    write("ids", "3 1 2\n")
    expect_lines("detokenize --weights %w.gap --ids %ids", "a cats\n")
    write("other", (JSON:gsub('"cat":1', '"cat":5')))
    expect_lines("tokenize --weights %w.gap --tokenizer %other --text %texts", "3 5 2\n\n0 4\n")
    local _, said = expect_run(0, "tokenize --weights %w.gap --tokenizer %other --text %texts")
    expect(said:find("was made for the tokenizer of hash " .. RECORDED, 1, true), "no word of another one: %s", said)
    local whole = files.slurp(path "w.gap")
    write("damaged", whole:sub(1, -3) .. "]" .. whole:sub(-1))
    expect_run(1, "tokenize --weights %damaged --text %texts", "the checksum of the tokenizer is", "pack the weights")
    expect_run(1, "inspect %damaged", "the checksum of the tokenizer is")
    expect_run(0, pack)
    expect(not files.slurp(path "w.gap"):find('"vocab"', 1, true), "a tokenizer that nobody asked for was packed")
    expect_run(1, "tokenize --weights %w.gap --text %texts", path "w.gap" .. ": there is no tokenizer.json in it or " ..
      "in its folder", "--tokenizer FILE")
    write("tokenizer.json", files.slurp(path "other"))
    expect_run(1, "tokenize --weights %w.gap --text %texts", "was made for the tokenizer of hash " .. RECORDED,
      "--tokenizer FILE takes another one")
    write("tokenizer.json", JSON)
    expect_lines("tokenize --weights %w.gap --text %texts", "3 1 2\n\n0 4\n")
    assert(os.remove(path "tokenizer.json"))
    expect_run(2, pack .. "--tokenizer %tokenizer --no-tokenizer", "cannot be given together")
    write("broken.json", "{")
    expect_run(1, pack .. "--tokenizer %broken.json", path "broken.json")
  end

  local function test_refused()
    expect_run(1, "tokenize --tokenizer %tokenizer --text %broken", "line 2: byte 2 of the text, 0xFF, is not UTF-8")
    expect_run(1, "tokenize --tokenizer %tokenizer --text %texts --pair %zeros", "expected as many")
    expect_run(2, "tokenize --tokenizer %tokenizer --text %texts --format xml", "--format xml: expected ids or json")
    expect_run(2, "tokenize --tokenizer %tokenizer --text - --pair -", "cannot both be standard input")
    expect_run(2, "tokenize --text %texts", "no tokenizer")
    expect_run(2, "tokenize --tokenizer %tokenizer", "--text FILE is missing")
    assert(os.execute("mkfifo " .. path "pipe"))
    local commands = { "tokenize --text %texts", "detokenize --ids %texts", "pack --allow-random 1 --output %r" }
    for _, command in ipairs(commands) do
      expect_run(1, command .. " --tokenizer %pipe", path "pipe" .. ": a pipe or device; expected a regular file")
    end
    local absent = path "absent" .. ": cannot be opened: No such file"
    expect_run(1, "tokenize --tokenizer %absent --text %texts", absent)
    expect_run(1, "tokenize --weights %absent --text %texts", absent)
    write("ids", "1 2\n3 x\n")
    expect_run(1, "detokenize --tokenizer %tokenizer --ids %ids", 'line 2: found "x', "expected a token id")
    write("tokenizer", (JSON:gsub('"a":3', '"a":70')))
    expect_run(1, "tokenize --tokenizer %tokenizer --text %texts", "has ids up to 70; expected below 70")
    write("tokenizer", (JSON:gsub("Whitespace", "Nothing")))
    expect_run(1, "tokenize --tokenizer %tokenizer --text %texts", "pre_tokenizer.type: found Nothing")
  end

  -- A text goes to a pipe as it is; a terminal is not steered by it.
  local function test_terminal()
    write("steering", (JSON:gsub('"a":3', '"a\\u001b[2J\\u009b\\u202e":3')))
    write("ids", "3\n")
    expect_lines("detokenize --tokenizer %steering --ids %ids", "a\27[2J\194\155\226\128\174\n")
    if files.slurp("/usr/bin/script") then -- of util-linux: runs a command on a terminal of its own
      local detokenize = "$program detokenize --tokenizer %steering --ids %ids 2>/dev/null"
      expect_lines(("info >/dev/null; script -qec \"%s\" /dev/null"):format(detokenize),
        [[a\x1b[2J\xc2\x9b\xe2\x80\xae]] .. "\r\n")
    end
  end

  -- A line without end is refused while it is read; a text of as many bytes as one may have is taken.
  local function test_longest()
    local most, tokenize = 16777216, "tokenize --tokenizer %tokenizer --text "
    expect_run(1, tokenize .. "- </dev/zero", "standard input: line 1 is longer than 16777216 bytes")
    assert(os.execute(("head -c %d /dev/zero | tr '\\0' a >%s"):format(most, path "long")))
    expect_lines(tokenize .. "%long", "0\n")
    assert(os.execute("echo a >>" .. path "long"))
    expect_run(1, tokenize .. "%long", "long: line 1 is longer than 16777216 bytes; expected one text a line")
    expect_run(1, tokenize .. "%long -0", "long: text 1 is longer than 16777216 bytes; expected a NUL after each text")
    assert(os.remove(path "long"))
  end

  -- The vector of each line of JSON, beside what embed writes to a file: no number may be another float.
  local function test_embed_json(embed)
    local written, i, printing = files.read(path "result").embedding.values, 0, embed:gsub("%-%-output %%result", "")
    local out = expect_run(0, printing .. "--text %texts --tokenizer %tokenizer --format json")
    expect(out:find('{"text": "a cats", "embedding": [', 1, true) == 1, "printed\n%s", out)
    expect(select(2, out:gsub("\n", "")) == 3, "expected three lines, printed\n%s", out)
    for number in out:gsub('"text": "[^"]*"', ""):gmatch("%-?%d[%d.e+-]*") do
      i = i + 1
      expect(math.abs(tonumber(number) - written[i]) <= 2^-25 * math.abs(written[i]), "number %d is %s; expected %.9g",
        i, number, written[i])
    end
    expect(i == #written, "%d numbers, expected %d", i, #written)
    expect_run(0, embed .. "--text - --tokenizer %tokenizer --format json --threads 2 < %texts", "F32 [3, 48]")
    expect(files.slurp(path "result") == out, "JSON in a file is other than what is printed")
    out = expect_run(0, printing .. "--tokens %ids --format json")
    expect(out:find('{"embedding": [', 1, true) == 1, "of token ids there is a text")
  end

  -- Without standard files a message is no part of an output, and an output that cannot be written is a failure.
  local function test_closed_files(embed, expected)
    local closed = { { 0, "%texts 2>&-" }, { 0, "%texts <&-" }, { 1, "%texts >&-" }, { 1, "%texts <&- >&- 2>&-" } }
    for _, case in ipairs(closed) do
      os.remove(path "result")
      expect_run(case[1], embed .. "--tokenizer %tokenizer --text " .. case[2])
      expect(files.slurp(path "result") == expected, "%s: other embeddings", case[2])
    end
    local unwritten = "standard output could not be written"
    expect_run(1, embed .. "--tokenizer %tokenizer --text %texts >&-", unwritten)
    expect_run(1, embed .. "--tokenizer %tokenizer --text %texts >/dev/full", unwritten)
    expect_run(1, embed .. "--tokenizer %tokenizer --text - <&-", "standard input: cannot be read: Bad file descriptor")
  end

  -- What numpy.save writes of the array that the safetensors file holds, byte by byte.
  local function test_numpy(safetensors)
    local header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 48), }"
    local expected = "\147NUMPY\1\0\118\0" .. header .. (" "):rep(117 - #header) .. "\n" .. safetensors:sub(129)
    for _, options in ipairs { "--output %e.npy", "--output %e --format npy" } do
      local name = options:match("%%(%S+)")
      expect_run(0, "embed --allow-random 1 --tokens %ids " .. options, path(name) .. ": embedding F32 [3, 48]")
      expect(files.slurp(path(name)) == expected, "%s: other bytes than those of numpy.save", options)
    end
    local unknown = "e.json: .json is not a format that this command writes; expected .safetensors or .npy"
    expect_run(2, "embed --allow-random 1 --tokens %ids --output %e.json", unknown, "with --format, any name is")
    expect_run(0, "embed --allow-random 1 --tokens %ids --output %e.json --format json")
    expect_run(0, "embed --allow-random 1 --tokens %ids --output %e.npy --format safetensors")
    expect(files.slurp(path "e.npy") == safetensors, "--format does not go before the name")
  end

  -- The sequences of bert_48_4 have at most 70 ids.
  local function test_embed()
    choose "bert_48_4"
    write("texts", "a cats\n\n" .. ("cat "):rep(100) .. "\n")
    write("ids", "3 1 2\n\n" .. ("1 "):rep(70) .. "\n")
    local embed = "embed --allow-random 1 --output %result "
    expect_run(0, embed .. "--tokens %ids", "embedding F32 [3, 48]")
    local by_ids = files.slurp(path "result")
    local _, said = expect_run(0, embed .. "--text %texts --tokenizer %tokenizer", "embedding F32 [3, 48]")
    expect(files.slurp(path "result") == by_ids, "embeddings of texts are others than those of their ids")
    expect(said:find("1 of 3 texts were cut to 70 tokens", 1, true), "no word of the text that was cut: %s", said)
    test_closed_files(embed, by_ids)
    test_numpy(by_ids)
    write("zeros", "a cats\0\0" .. ("cat\n"):rep(100) .. "\0")
    expect_run(0, embed .. "--text %zeros -0 --tokenizer %tokenizer", "embedding F32 [3, 48]")
    expect(files.slurp(path "result") == by_ids, "embeddings of texts that end with NUL are others")
    expect_run(2, embed .. "--tokens %ids -0", "-0 needs --text")
    expect_run(2, embed, "--tokens FILE or --text FILE is missing")
    expect_run(2, embed .. "--tokens %ids --text %texts", "given both")
    write("second", (JSON:gsub('"truncation":null',
      '"truncation":{"direction":"Right","max_length":9,"strategy":"OnlySecond","stride":0}')))
    expect_run(0, embed .. "--text %texts --tokenizer %second", "embedding F32 [3, 48]")
    expect(files.slurp(path "result") == by_ids, "truncation.strategy of the file changes the embeddings")
    test_embed_json(embed)
    expect_run(2, embed .. "--tokens %ids --format xml", "--format xml: expected safetensors, npy or json")
    expect_run(2, "embed --allow-random 1 --tokens %ids", "--output FILE is missing (or --format json")
    expect_run(1, embed .. "--text %broken --tokenizer %tokenizer", "line 2: byte 2 of the text, 0xFF, is not UTF-8")
    expect_run(0, embed .. "--text %broken --tokenizer %tokenizer --replace-invalid", "embedding F32 [2, 48]")
    write("texts", "")
    expect_run(1, embed .. "--text %texts --tokenizer %tokenizer", "has no texts")
  end

  local GENERATE = "generate --allow-random 1 --tokenizer %whole --text 'A Cats' --new 12 --ignore-eos "

  -- What is printed is the text and that of the tokens which --input gives; nothing of it hangs on chance but by seed.
  local function test_generated()
    local more = {}
    for id = 5, 69 do more[#more + 1] = (',"w%d":%d'):format(id, id) end
    write("whole", (JSON:gsub('":4}', function() return '":4' .. table.concat(more) .. "}" end)))
    files.write(path "in", { files.tensor("tokens", "I32", { 1, 3 }, { 3, 1, 2 }) })
    expect_run(0, "generate --allow-random 1 --input %in --output %result --new 12")
    local ids = {}
    for i, value in ipairs(files.read(path "result").tokens.values) do ids[i] = ("%d"):format(value / 2^-149) end
    write("ids", table.concat(ids, " ") .. "\n")
    local text = expect_run(0, "detokenize --tokenizer %whole --ids %ids"):gsub("^a cats", "A Cats")
    local printed, said = expect_run(0, GENERATE)
    expect(printed == text, "generate printed\n%s\nexpected\n%s", printed, text)
    expect(said:find("3 tokens of text, the first after it in %S+ s; 11 more in %S+ s, %S+ tokens a second"),
      "said %s", said)
    expect((expect_run(0, GENERATE .. "--temperature 2 --top-k 1 --seed 7")) == text, "the one most likely token")
    expect((expect_run(0, GENERATE .. "--temperature 2 --top-p 0")) == text, "the most likely token at least")
    local draw = GENERATE .. "--temperature 9 --top-k 40 --top-p 0.9 --seed "
    local drawn = expect_run(0, draw .. 7)
    expect(drawn == expect_run(0, draw .. 7), "the same seed gave another text")
    expect(drawn ~= expect_run(0, draw .. 8), "another seed gave the same text")
    local last = text:match("(%S+)%s*$")
    local from = assert(text:find(last, #"A Cats" + 1, true))
    local stopped = expect_run(0, GENERATE .. ("--stop-text '%s'"):format(last))
    expect(stopped == text:sub(1, from - 1) .. "\n", "stopped at %s: %s", last, stopped)
    local ways = { ("--stop-text none --stop-text '%s' --stop-text ''"):format(last),
      ("--stop-text '%s' --stop-text '%sx' --stop-text '%sx'"):format(last, last:sub(-1), text:sub(from - 1, -2)) }
    for _, way in ipairs(ways) do expect(expect_run(0, GENERATE .. way) == stopped, "stopped by %s", way) end
    local both = ("--stop-text '%s' --stop-text '%s'"):format(last, text:sub(from - 1, from + #last - 1))
    expect(expect_run(0, GENERATE .. both) == text:sub(1, from - 2) .. "\n", "the first of two by %s", both)
  end

  local function test_generate_refused()
    expect_run(1, "generate --allow-random 1 --tokenizer %whole --text ''", "has no tokens to go on from")
    expect_run(1, GENERATE:gsub("12", "100"), "--text: 3 tokens and 100 more are 103; expected at most 90")
    expect_run(2, GENERATE .. "--input %in", "--text and --chat print text; --input and --output are of")
    expect_run(2, "generate --allow-random 1", "--input FILE and --output FILE, or --text TEXT, or --chat TEXT, are")
    expect_run(2, "generate --input %in --output %result --stop-text a", "--stop-text needs --text or --chat")
    expect_run(2, "generate --allow-random 1 --input %in --output %more.npy", "more.npy: .npy is not a format",
      "expected .safetensors, or no ending, which is safetensors")
    expect_run(2, GENERATE .. ("--stop-text a "):rep(17), "--stop-text is given more than 16 times")
    expect_run(2, GENERATE .. "--temperature -1", "--temperature")
    expect_run(2, GENERATE .. "--top-k 71", "--top-k", "1..70")
    expect_run(2, GENERATE .. "--top-p 1.5", "--top-p")
  end

  choose "gpt2_48_4"
  write("tokenizer", JSON)
  write("texts", 'A Cats\n\ndog "')
  write("zeros", "a\0cat\0")
  write("broken", "a\na \255\n")
  if not files.slurp("out/config.ninja"):find("text_libraries = %S") then
    return expect_run(1, "tokenize --tokenizer %tokenizer --text %texts", "libutf8proc-dev libpcre2-dev")
  end
  test_printed()
  test_packed()
  test_embed()
  require "program_search"(path, expect_run, expect)
  require "program_shards"(path, expect_run, expect)
  require "program_prompts"(path, expect_run, expect, choose)
  require "program_threads"(path, expect_run, expect, choose)
  choose "gpt2_48_4"
  write("texts", 'A Cats\n\ndog "')
  test_terminal()
  test_longest()
  test_refused()
  test_generated()
  test_generate_refused()
  require "program_chat"(path, expect_run, expect)
end
