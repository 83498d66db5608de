-- program_shards.lua: `embed --shard` and `--merge`: the bytes of one program at any number of shards, what is kept of
-- a program that was killed, and which shards are refused. A part of program_text.lua, which writes %tokenizer and
-- chooses the model.

local files = require "program_files"

local HEADER, WIDTH = 1024, 48

return function(path, expect_run, expect)
  local write = files.writer(path)
  local EMBED = "embed --allow-random 1 --tokenizer %tokenizer --text %corpus "

  -- Texts of up to 40 words, empty ones among them; some have more than the model's 70 tokens.
  local function corpus(count)
    local words, lines, state = { "a", "cats", "dog", '"' }, {}, 1
    local function next_number(below)
      state = state * 1103 % 65521
      return state % below
    end
    for i = 1, count do
      local line = {}
      for j = 1, next_number(40) do line[j] = words[next_number(4) + 1] end
      lines[i] = table.concat(line, " ") .. "\n"
    end
    return table.concat(lines)
  end

  local function file_of(k) return ("%%shard.%d"):format(k) end

  local function embed_shard(k, of, options)
    return expect_run(0, ("%s--shard %d/%d --output %s %s"):format(EMBED, k, of, file_of(k), options or ""))
  end

  local function embed_shards(of)
    local names = {}
    for k = 0, of - 1 do
      embed_shard(k, of, k % 2 == 1 and "--threads 3" or nil)
      names[of - k] = file_of(k) -- in any order
    end
    return table.concat(names, " ")
  end

  local function expect_merged(names, whole, output)
    output = output or "merged"
    os.remove(path(output))
    expect_run(0, ("embed --merge %s --output %%%s"):format(names, output), output .. ": embedding F32 [")
    expect(files.slurp(path(output)) == whole, "%s: not the bytes of one program", names)
  end

  -- At any N, also where some shards have no text.
  local function test_same_bytes()
    for count, numbers in pairs { [97] = { 1, 2, 5 }, [3] = { 7 }, [1] = { 2 } } do
      write("corpus", corpus(count))
      expect_run(0, EMBED .. "--output %one")
      expect_run(0, EMBED .. "--output %one.npy")
      for _, of in ipairs(numbers) do
        local names = embed_shards(of)
        expect_merged(names, files.slurp(path "one"))
        expect_merged(names, files.slurp(path "one.npy"), "merged.npy")
      end
    end
  end

  -- Token ids, which are divided as texts are.
  local function test_tokens()
    write("ids", "3 1 2\n\n1\n2\n3 3\n1 1 1\n")
    expect_run(0, "embed --allow-random 1 --tokens %ids --output %one")
    for k = 0, 1 do
      expect_run(0, ("embed --allow-random 1 --tokens %%ids --shard %d/2 --output %s"):format(k, file_of(k)))
    end
    expect_merged("%shard.0 %shard.1", files.slurp(path "one"))
  end

  -- A signal ends the program while it writes a block: SIGXFSZ, at a size of the file.
  local function test_killed(names, whole)
    local finished = files.slurp(path "shard.1")
    os.remove(path "shard.1")
    local limited = ("info >/dev/null; (ulimit -f 12; $program %s--shard 1/3 --resume --output %%shard.1) || :")
    expect_run(0, limited:format(EMBED))
    local left = files.slurp(path "shard.1")
    expect(#left > HEADER and #left < #finished and finished:sub(1, #left) == left, "%d of %d bytes are left", #left,
      #finished)
    expect_run(1, ("embed --merge %s --output %%merged"):format(names), "shard.1: shard 1/3 is not finished, it has ",
      "; run embed --shard 1/3 --resume --output")
    local out, said = embed_shard(1, 3, "--resume")
    expect(said:find("damaged or was not finished", 1, true), "nothing is said of the torn block: %s", said)
    local computed, all = tonumber(out:match "computed (%d+)"), tonumber(out:match ", (%d+) of")
    expect(computed < all, "finished blocks were lost: %s", out)
    expect(files.slurp(path "shard.1") == finished, "a resumed shard has other bytes")
    expect_merged(names, whole)
    out = embed_shard(1, 3, "--resume")
    expect(out:find("computed 0\n", 1, true), "a finished shard is computed again: %s", out)
  end

  -- A flipped byte is found, wherever it is, and mended.
  local function test_damaged(names, whole)
    local finished = files.slurp(path "shard.2")
    for _, at in ipairs { HEADER + 1, math.floor(#finished / 2), #finished } do
      write("shard.2", finished:sub(1, at - 1) .. string.char((finished:byte(at) + 1) % 256) .. finished:sub(at + 1))
      os.remove(path "merged")
      expect_run(1, ("embed --merge %s --output %%merged"):format(names), "shard.2: block ", " of shard 2/3 is damaged",
        "run embed --shard 2/3 --resume --output")
      expect(not io.open(path "merged"), "a file was written of a damaged shard")
      local _, said = embed_shard(2, 3, "--resume")
      expect(said:find("damaged or was not finished", 1, true), "byte %d: nothing is said: %s", at, said)
      expect(files.slurp(path "shard.2") == finished, "byte %d: the shard was not mended", at)
    end
    expect_merged(names, whole)
  end

  -- Of two processes that write one file the second is refused. Python holds the lock of the first.
  local function test_locked()
    local held = "import fcntl, subprocess, sys\nfile = open(sys.argv[1], 'r+b')\nfcntl.lockf(file, fcntl.LOCK_EX)\n"
      .. "sys.exit(subprocess.call(sys.argv[2:]))"
    write("held.py", held)
    local finished = files.slurp(path "shard.1")
    local python = "info >/dev/null; ! command -v python3 >/dev/null || "
    expect_run(0, python .. "! python3 %held.py %shard.1 $program " .. EMBED ..
      "--shard 1/3 --resume --output %shard.1 2>%said || exit 1")
    local _, said = expect_run(0, python .. "cat %said >&2")
    expect(said == "" or said:find("shard.1: another process writes it; wait until it ends", 1, true), "said %s", said)
    expect(files.slurp(path "shard.1") == finished, "a file that another process writes was changed")
  end

  -- Shards that are missing, twice there, of another number, not shards.
  local function test_refused_merges(names)
    local merge = "embed --output %merged --merge "
    os.remove(path "merged")
    expect_run(1, merge .. "%shard.2 %shard.0", "shard 1/3 is missing; run embed --shard 1/3")
    expect_run(1, merge .. "%shard.1", "shard 0/3 is missing", "shard 2/3 is missing")
    write("copy", files.slurp(path "shard.1"))
    expect_run(1, merge .. names .. " %copy", "copy: is shard 1/3, as ", "shard.1 is; expected one of them")
    expect_run(1, merge .. names .. " %corpus", "corpus: is not a shard that embed made")
    expect_run(1, merge .. names .. " %absent", "absent: cannot be read")
    expect_run(0, EMBED .. "--shard 1/4 --output %copy")
    expect_run(1, merge .. "%shard.0 %copy %shard.2", "copy: was made with another number of shards than ",
      "shard.0 (shards: found 4, expected 3)", "shard 1/3 is missing")
    local whole = files.slurp(path "shard.1")
    local others = { model = '"bort_48_4"', bits_revision = '"9"', spec = '"0000000000000000"', width = "40" }
    for key, other in pairs(others) do
      write("copy", (whole:gsub(('"%s":[^,]*,'):format(key), ('"%s":%s,'):format(key, other), 1)))
      expect_run(1, merge .. (key == "width" and "%shard.0 %copy" or "%copy"), "copy: was made with another ",
        ("(%s: found "):format(key))
    end
    write("copy", (whole:gsub('"block":%d+', '"block":0')))
    expect_run(1, merge .. "%copy", "copy: is not a shard")
    write("copy", whole:sub(1, HEADER - 1))
    expect_run(1, merge .. "%copy", "copy: is not a shard")
    expect(not io.open(path "merged"), "a file was written of refused shards")
  end

  -- What differs is named, by --resume and by --merge.
  local function test_stale(names, whole)
    local finished = files.slurp(path "shard.1")
    local shard = "--shard 1/3 --output %shard.1 --resume"
    local function expect_stale(embed, what)
      local anew = what .. "; without --resume it is made anew"
      local key = what:match "%((%w+)"
      expect_run(1, embed .. shard, "shard.1: was made with " .. what:match "^[^(]*", ("(%s: found "):format(key),
        anew:match "; .*")
      expect(files.slurp(path "shard.1") == finished, "a refused shard was changed")
      expect_run(0, embed .. shard:gsub("shard%.1", "other"):gsub(" %-%-resume", ""))
      expect_run(1, ("embed --output %%merged --merge %s"):format((names:gsub("%%shard%.1", "%%other"))),
        "other: was made with " .. what:match "^[^(]*" .. "than ", ("(%s: found "):format(key))
    end
    expect_stale(EMBED:gsub("random 1", "random 2"), "other weights (weights")
    write("second", (files.slurp(path "tokenizer"):gsub('"cat":1', '"cat":5')))
    expect_stale(EMBED:gsub("%%tokenizer", "%%second"), "another tokenizer (tokenizer")
    local texts = files.slurp(path "corpus")
    write("corpus", (texts:gsub("dog", "dig", 1)))
    expect_stale(EMBED, "another corpus (corpus")
    write("corpus", texts)
    expect_run(1, EMBED .. shard:gsub("1/3", "2/3"), "another index of the shard (shard: found 1, expected 2)")
    write("notes", "not a shard\n")
    expect_run(1, EMBED .. "--shard 1/3 --resume --output %notes", "notes: is not a shard")
    expect(files.slurp(path "notes") == "not a shard\n", "--resume has overwritten what is not a shard")
    expect_merged(names, whole)
  end

  -- Lines of JSON, the last of which has all of the shard.
  local function test_progress()
    local all = select(1, embed_shard(0, 3)):match ", (%d+) of"
    local _, said = embed_shard(0, 3, "--progress json")
    local last
    for line in said:gmatch "[^\n]+" do last = line:match "^{.*}$" or last end
    expect(last and last:find(('^{"texts": %s, "seconds": [%%d.]+, "share": 1.0000, "left": 0.0}$'):format(all)),
      "the last line is not of %s texts: %s", all, said)
    expect_run(2, EMBED .. "--output %e --progress xml", "--progress xml: expected text or json")
  end

  local function test_refused_options()
    expect_run(2, "embed --merge %shard.0 --output %e --progress json", "--progress has no meaning with --merge")
    for _, word in ipairs { "3/3", "-1/3", "1", "1/", "/3", "1/0", "1/3x", "1/65537", "999999999/3" } do
      expect_run(2, EMBED .. "--output %e --shard " .. word, ("--shard %s: expected K"):format(word))
    end
    expect_run(2, EMBED .. "--shard 0/2", "--shard needs --output FILE")
    expect_run(2, EMBED .. "--shard 0/2 --output %e.npy", "e.npy: --merge makes such a file from shards")
    expect_run(2, EMBED .. "--shard 0/2 --output %e --format npy", "--format has no meaning with --shard")
    expect_run(2, EMBED .. "--resume --output %e", "--resume needs --shard")
    expect_run(2, EMBED .. "--output %e %corpus", 'unexpected argument "', "shards need --merge")
    expect_run(2, "embed --merge --output %e", "--merge needs the files of all shards")
    expect_run(2, "embed --merge %shard.0", "--output FILE is missing")
    expect_run(2, "embed --merge %shard.0 --format json --output %e", "--format json: a shard has no texts")
    expect_run(2, "embed --merge %shard.0 --threads 2 --output %e", "--threads has no meaning with --merge")
    expect_run(2, "embed --merge %shard.0 --output %shard.0", "would replace a file that is read")
    expect_run(1, EMBED:gsub("%%corpus", "-") .. "--shard 0/2 --output %e < /dev/null", "is not a regular file")
    expect_run(0, EMBED:gsub("%%corpus", "-") .. "--shard 0/3 --output %e < %corpus")
    expect(files.slurp(path "e") == files.slurp(path "shard.0"), "a shard of standard input has other bytes")
    write("corpus", "")
    expect_run(1, EMBED .. "--shard 0/2 --output %e", "has no texts")
  end

  test_same_bytes()
  test_tokens()
  write("corpus", corpus(200))
  expect_run(0, EMBED .. "--output %one")
  local names, whole = embed_shards(3), files.slurp(path "one")
  expect(#files.slurp(path "shard.1") > 12 * 1024 + 8 * WIDTH, "the shard is too short for the tests of it")
  test_killed(names, whole)
  test_damaged(names, whole)
  test_locked()
  test_refused_merges(names)
  test_stale(names, whole)
  test_progress()
  test_refused_options()
end
