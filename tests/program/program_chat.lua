-- program_chat.lua: where `generate --text` ends, by what the spec records of a model folder and by what a GGUF file
-- says. Its tokens are those that `generate --input` gives, which no token ends.

local files = require "program_files"

local N, NEW = 70, 12
local ENDS = { 7, 14, 21, 28, 35, 42, 49, 56, 63 } -- of tests/specs/steps_48_4.lua

-- -- A GGUF file ----------------------------------------------------------------------------------------------------

local function number(value, size)
  local bytes = {}
  for i = 1, size do
    bytes[i] = string.char(value % 256)
    value = math.floor(value / 256)
  end
  return table.concat(bytes)
end

local function text(value) return number(#value, 8) .. value end

local function array(name, item, values)
  return text(name) .. number(9, 4) .. number(item, 4) .. number(#values, 8) .. table.concat(values)
end

-- A tokenizer of llama with the tokens x0, x1, ..., which are found whole in a text, and an end.
local function gguf(eos)
  local tokens, scores, types = {}, {}, {}
  for id = 0, N - 1 do
    tokens[id + 1], scores[id + 1], types[id + 1] = text(("x%d."):format(id)), number(0, 4), number(4, 4)
  end
  local keys = { text "tokenizer.ggml.model" .. number(8, 4) .. text "llama",
    array("tokenizer.ggml.tokens", 8, tokens), array("tokenizer.ggml.scores", 6, scores),
    array("tokenizer.ggml.token_type", 5, types),
    text "tokenizer.ggml.eos_token_id" .. number(4, 4) .. number(eos, 4) }
  return "GGUF" .. number(3, 4) .. number(0, 8) .. number(#keys, 8) .. table.concat(keys)
end

return function(path, expect_run, expect)
  local write = files.writer(path)

  -- The tokens that come after these, drawn by a seed.
  local function ids_after(ids, seed)
    files.write(path "in", { files.tensor("tokens", "I32", { 1, #ids }, ids) })
    local command = "generate --allow-random 1 --input %%in --output %%result --new %d --temperature 9 --seed %d"
    expect_run(0, command:format(NEW, seed))
    local found = {}
    for i, value in ipairs(files.read(path "result").tokens.values) do found[i] = math.floor(value / 2^-149 + 0.5) end
    return found
  end

  -- Where the first of these ends is among the tokens after `from`; nil: nowhere.
  local function first_end(ids, from, ends)
    for i = from + 1, #ids do
      for _, id in ipairs(ends) do
        if ids[i] == id then return i end
      end
    end
  end

  -- A seed whose tokens after these have an end, not at once; the tokens, and its place.
  local function some_end(ids)
    for seed = 1, 50 do
      local found = ids_after(ids, seed)
      local at = first_end(found, #ids, ENDS)
      if at and at > #ids + 2 then return seed, found, at end
    end
    error "no seed of 50 draws an end"
  end

  local function words(ids, first, last)
    local list = {}
    for i = first, last do list[#list + 1] = ("x%d."):format(ids[i]) end
    return table.concat(list)
  end

  local function test_spec()
    local seed, ids, at = some_end { 3, 1, 2 }
    local command = "generate --allow-random 1 --tokenizer %%whole --text 'A Cats' --new %d --temperature 9 --seed %d"
    local generate = command:format(NEW, seed)
    local list = {}
    for i = 1, at - 1 do list[i] = ("%d"):format(ids[i]) end
    write("ids", table.concat(list, " ") .. "\n")
    local short = expect_run(0, "detokenize --tokenizer %whole --ids %ids"):gsub("^a cats", "A Cats")
    local out = expect_run(0, generate)
    expect(out == short, "the end %d of the spec: printed\n%s\nexpected\n%s", ids[at], out, short)
    out = expect_run(0, generate .. " --ignore-eos")
    expect(#out > #short and out:sub(1, #short - 1) == short:sub(1, -2), "--ignore-eos printed\n%s", out)
  end

  local function test_gguf()
    local seed, ids, at = some_end { 1, 5, 6 }
    local function run(eos, options)
      write("model.gguf", gguf(eos))
      local command = "generate --allow-random 1 --tokenizer %%model.gguf --text x5.x6. --new %d --temperature 9 " ..
        "--seed %d %s"
      return (expect_run(0, command:format(NEW, seed, options or "")))
    end
    local function expect_printed(out, last)
      expect(out == words(ids, 2, last) .. "\n", "printed\n%s\nexpected\n%s", out, words(ids, 2, last))
    end
    expect_printed(run(ids[5]), first_end(ids, 3, { ids[5] }) - 1)
    expect_printed(run(2), math.min(at, first_end(ids, 3, { 2 }) or at) - 1)
    expect_printed(run(ids[5], "--ignore-eos"), #ids)
  end

  test_spec()
  test_gguf()
  expect_run(2, "generate --allow-random 1 --input %in --output %result --ignore-eos", "--ignore-eos is of --text")
end
