-- program_precision.lua: `precision` of programs whose models choose dtypes: which figures there are, that the mixture
-- is within the limit whatever the machine's times, the picture and the spec; what is refused. No time is looked at.

local files = require "program_files"
local tensor = files.tensor

local JSON = [[{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"decoder":null,
"normalizer":{"type":"Lowercase"},"pre_tokenizer":{"type":"Whitespace"},"post_processor":null,
"model":{"type":"WordPiece","unk_token":"?","continuing_subword_prefix":"##","max_input_chars_per_word":20,
"vocab":{"?":0,"cat":1,"##s":2,"a":3,"dog":4,"wet":5,"day":6}}}]]

local FILES = " --rounds 1 --svg %picture --spec %spec "
local ROWS = "precision --allow-random 1 --input %in.safetensors" .. FILES
local TEXTS = "precision --allow-random 1 --input %texts --tokenizer %tokenizer" .. FILES

return function(path, expect_run, expect, choose)
  local write = files.writer(path)

  -- { [linear] = { [dtype] = error } } of what was printed, and the error of the mixture.
  local function figures(printed)
    local found = {}
    for linear, dtype, number in printed:gmatch("\n(%l+) +(%w+) +(%S+) +%d[%d.]*%f[\n]") do
      found[linear] = found[linear] or {}
      found[linear][dtype] = tonumber(number)
    end
    return found, tonumber(printed:match("\nas a whole: error (%S+), time"))
  end

  -- Checks that each linear has both dtypes of integers, and i16 the smaller error, which is not none.
  local function expect_linears(found, linears)
    for _, linear in ipairs(linears) do
      local of = found[linear] or {}
      expect(of.i16 and of.int8 and of.i16 > 0 and of.int8 > 10 * of.i16, "%s: errors %s and %s", linear,
        tostring(of.i16), tostring(of.int8))
      found[linear] = nil
    end
    expect(next(found) == nil, "%s is no linear of the model", tostring(next(found)))
  end

  local function expect_files(limit, linears)
    local picture = files.slurp(path "picture")
    for class in picture:gmatch('<rect class="([%w_]+)"') do
      expect(picture:find("." .. class .. "{", 1, true), "the picture has no colour for %s", class)
    end
    expect(picture:find("^<svg ") and picture:find("</svg>\n$") and not picture:find("nan", 1, true), "no picture")
    expect(picture:find(("the limit, %g<"):format(limit), 1, true), "the picture has not the limit %g", limit)
    local spec = assert(loadfile(path "spec"))()
    for _, linear in ipairs(linears) do
      local dtype = spec.dtype[linear]
      local is_known = dtype == "f32" or dtype == "bf16" or dtype == "i16" or dtype == "int8"
      expect(is_known, "the spec's %s is %s", linear, tostring(dtype))
    end
    return spec
  end

  local function test_rows()
    choose "any_72_4"
    local linears = { "q", "k", "v", "o" }
    files.write(path "in.safetensors", {
      tensor("query", "F32", { 3, 20, 72 }, function(i) return i * 37 % 101 / 64 - 0.75 end),
      tensor("q_lengths", "I32", { 3 }, { 20, 1, 7 }), tensor("kv_lengths", "I32", { 3 }, { 20, 1, 7 }) })
    for _, limit in ipairs({ 1, 1e-5, 1e-8 }) do
      local printed = expect_run(0, ROWS .. "--limit " .. limit, "60 rows of output", "all",
        "not measured, in f32: attention; ")
      local found, whole = figures(printed)
      expect(whole and whole <= limit, "the mixture's error is %s, the limit %g", tostring(whole), limit)
      expect_linears(found, { "q", "k", "v", "o", "all" })
      local spec = expect_files(limit, linears)
      expect(spec.d_model == 72 and spec.name == "any_72_4", "the spec is another model's")
    end
    local printed = expect_run(0, ROWS .. "--limit 0", "fastest within 0: q f32, k f32, v f32, o f32")
    local _, whole = figures(printed)
    expect(whole == 0, "f32 differs from itself by %s", tostring(whole))
  end

  local function test_texts()
    choose "any_32_pool"
    write("tokenizer", JSON)
    write("texts", "a cat\nwet dogs a day\n\na a dog cats\n")
    local printed = expect_run(0, TEXTS .. "--limit 1e-4", "4 rows of embedding")
    local found, whole = figures(printed)
    expect(whole and whole <= 1e-4, "the mixture's error is %s", tostring(whole))
    expect_linears(found, { "q", "k", "v", "o", "up", "down", "all" })
    expect_files(1e-4, { "q", "k", "v", "o", "up", "down" })
  end

  -- Writes one sequence of ids for a model of tokens.
  local function write_tokens(count, most)
    files.write(path "in.safetensors", {
      tensor("tokens", "I32", { 2, count }, function(i) return i * 7 % most end) })
  end

  -- Logits, tied or not, and a classifier are linears as others are. A label alone has no direction; yet its error is
  -- not none.
  local function test_last()
    local without = { "q", "k", "v", "o", "up", "down", "logits", "all" }
    local with = { "q", "k", "v", "o", "up", "down", "logits", "classifier", "all" }
    for name, linears in pairs({ any_36_classifier = with, any_40_tied = without }) do
      choose(name)
      write_tokens(9, 10)
      local more = name == "any_36_classifier" and "2 rows of embedding, logits and class_logits"
        or "18 rows of output and logits"
      for _, limit in ipairs({ 1, 1e-5, 0 }) do
        local attention = name == "any_36_classifier" and "int8" or "f32"
        local printed = expect_run(0, ROWS .. "--limit " .. limit, more, ("not measured, in %s: attention; "):format(
          attention))
        local found, whole = figures(printed)
        expect(whole and whole <= limit, "%s: the mixture's error is %s, the limit %g", name, tostring(whole), limit)
        expect_linears(found, linears)
        table.remove(linears)
        local spec = expect_files(limit, linears)
        expect((spec.dtype.attention or "f32") == attention, "the spec's attention is %s", spec.dtype.attention)
        for _, linear in ipairs(limit == 0 and linears or {}) do
          expect(spec.dtype[linear] == "f32", "within 0 %s is %s", linear, tostring(spec.dtype[linear]))
        end
        linears[#linears + 1] = "all"
      end
    end
    write("tokenizer", JSON)
    write("texts", "a cat\nwet dogs a day\n\na a dog cats\n")
    choose "any_36_classifier"
    local printed = expect_run(0, TEXTS .. "--limit 1e-4", "4 rows of embedding, logits and class_logits")
    expect_linears(figures(printed), { "q", "k", "v", "o", "up", "down", "logits", "classifier", "all" })
    choose "any_40_tied"
    printed = expect_run(0, TEXTS .. "--limit 1e-4", "4 rows of output and logits")
    expect_linears(figures(printed), { "q", "k", "v", "o", "up", "down", "logits", "all" })
  end

  local function test_refused()
    choose "any_32_pool"
    write("none", "")
    expect_run(1, "precision --allow-random 1 --input %none --tokenizer %tokenizer", "has no texts")
    expect_run(2, ROWS .. "--limit 2", "--limit 2")
    expect_run(2, "precision --allow-random 1 --input %texts --rounds 0", "--rounds 0", "1..1000")
    expect_run(2, "precision --allow-random 1", "--input")
    choose "any_72_4"
    expect_run(1, "precision --allow-random 1 --input %texts", "is taken for texts, but any_72_4 takes no token ids")
    choose "bert_48_4"
    expect_run(1, "precision --allow-random 1 --input %texts", "has one dtype for each linear",
      "configure it with --dtype any")
  end

  -- Files that cannot be written are told of before the rows are read, which are not there; none is left empty.
  local function test_unwritable()
    choose "any_72_4"
    local command = "precision --allow-random 1 --input %%nowhere --svg %s --spec %s"
    local absent = "absent/x: cannot make a temporary file in its folder: No such file"
    expect_run(1, command:format("%absent/x", "%spec"), "--svg " .. path "" .. absent)
    write("picture", "mine")
    expect_run(1, command:format("%picture", "%absent/x"), "--spec " .. path "" .. absent)
    expect_run(1, command:format("%picture", "/"), "--spec /: is not a regular file")
    expect_run(1, command:format("%picture", "%unmade"), "takes no token ids")
    expect(files.slurp(path "picture") == "mine", "a check wrote over a file")
    expect(not io.open(path "unmade"), "a check left an empty file")
  end

  test_rows()
  test_texts()
  test_last()
  test_unwritable()
  test_refused()
end
