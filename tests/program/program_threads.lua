-- program_threads.lua: `embed`, `search` and `rank` of many texts on several threads: the bytes, the messages and what
-- stays after a signal are those of one thread. A part of program_text.lua, which writes %tokenizer.

local files = require "program_files"

local THREADS = { 2, 3, 7 }
local TEXTS = 8600 -- more than a block of them

-- Texts of many lengths, some without a token and some that are cut, none of them by chance the same as its neighbour.
local function ragged(count)
  local words, state, texts = { "a", "cat", "cats", '"', "dog" }, 1, {}
  local function draw(n)
    state = (state * 16807) % 2147483647
    return state % n
  end
  for i = 1, count do
    local parts = {}
    for j = 1, draw(10) == 0 and draw(90) or draw(12) do parts[j] = words[draw(#words) + 1] end
    texts[i] = table.concat(parts, " ")
  end
  return texts
end

return function(path, expect_run, expect, choose)
  local write = files.writer(path)
  local ON = " --allow-random 1 --tokenizer %tokenizer "

  -- What a command prints, says and, where it is to, writes to %result: on one thread, then the same on several.
  local function expect_same(code, args, writes)
    local function run(threads)
      os.remove(path "result")
      local out, err = expect_run(code, args .. " --threads " .. threads)
      return { out = out, err = err:gsub("[^\n]*threads have [^\n]*\n", ""):gsub(", [%d.e-]+ s\n", "\n"),
        file = writes and files.slurp(path "result") }
    end
    local alone = run(1)
    for _, threads in ipairs(THREADS) do
      for what, bytes in pairs(run(threads)) do
        expect(bytes == alone[what], "%s: %d threads gave another %s", args, threads, what)
      end
    end
    return alone
  end

  local function test_embed()
    local first = expect_same(0, "embed --text %texts --output %result --rows 64" .. ON, true)
    expect(first.err:find(("of %d texts were cut to 70 tokens"):format(TEXTS)), "said %s", first.err)
    expect_same(0, "embed --text %few --output %result" .. ON, true)
    expect_same(0, "embed --text %few --format json --rows 48" .. ON)
    write("ids", ("1 2 3\n2\n\n" .. ("3 "):rep(60) .. "\n"):rep(60))
    expect_same(0, "embed --tokens %ids --output %result --rows 100" .. ON, true)
  end

  -- A bad text in the second block: the rows of the first are printed, and its line is told.
  local function test_error(texts)
    texts[8500], texts[8550] = "a \255", "\255"
    write("bad", table.concat(texts, "\n") .. "\n")
    local said = expect_same(1, "embed --text %bad --format json --rows 64" .. ON)
    expect(said.err:find("bad: line 8500: byte 2 of the text", 1, true), "said %s", said.err)
    expect(select(2, said.out:gsub("\n", "")) == 8192, "not the rows of one block are printed")
    expect_same(1, "search cats --corpus %bad --index %result" .. ON, true)
  end

  local function test_search()
    expect_same(0, "search cats 'a dog' --top 20 --corpus %texts --index %result" .. ON, true)
  end

  local function test_rank()
    choose "classifier_40_4"
    expect_same(0, "rank --query 'a cat' --rows 64 --documents %few" .. ON)
  end

  -- A signal that comes once it is caught: what was computed is kept, and the index is the same at last. A shell's
  -- background commands take no SIGINT, which is handled as SIGTERM is.
  local function test_stopped()
    if not io.open "/proc/self/status" then return end
    write("long", table.concat(ragged(40000), "\n") .. "\n")
    local search = "search cats --corpus %long --threads 3" .. ON .. "--index "
    local _, said = expect_run(1, search .. "%result & pid=$!; " ..
      "until grep -Eq 'SigCgt:.*4...$|State:.*Z' /proc/$pid/status; do :; done; kill -TERM $pid; wait $pid",
      "stopped by a signal")
    expect(select(2, said:gsub("stopped by a signal", "")) == 1, "said more than once: %s", said)
    expect_run(0, search .. "%result")
    expect_run(0, (search .. "%alone_index"):gsub("threads 3", "threads 1"))
    expect(files.slurp(path "result") == files.slurp(path "alone_index"), "the index after a signal is another")
  end

  local texts = ragged(TEXTS)
  write("texts", table.concat(texts, "\n") .. "\n")
  write("few", table.concat(texts, "\n", 1, 200) .. "\n")
  choose "bert_48_4"
  test_embed()
  test_search()
  os.remove(path "result")
  test_stopped()
  test_error(texts)
  test_rank()
end
