-- program_chat.lua: where `generate --text` ends, by what the spec records of a model folder and by what a GGUF file
-- says, and `generate --chat`: where its template is found, and its answer. The tokens are those of `generate --input`,
-- which no token ends.

local files = require "program_files"

local N, NEW = 70, 12
local ENDS = { 7, 14, 21, 28, 35, 42, 49, 56, 63 } -- of tests/specs/gpt2_48_4.lua

-- -- A GGUF file ----------------------------------------------------------------------------------------------------

local number = files.little_endian

local function text(value) return number(#value, 8) .. value end

local function array(name, item, values)
  return text(name) .. number(9, 4) .. number(item, 4) .. number(#values, 8) .. table.concat(values)
end

-- A tokenizer of llama with the tokens x0, x1, ..., which are found whole in a text, or other words, and an end.
local function gguf(eos, words, template)
  local tokens, scores, types = {}, {}, {}
  for id = 0, N - 1 do
    tokens[id + 1], scores[id + 1], types[id + 1] = text(words and words[id] or ("x%d."):format(id)), number(0, 4),
      number(4, 4)
  end
  local keys = { text "tokenizer.ggml.model" .. number(8, 4) .. text "llama",
    array("tokenizer.ggml.tokens", 8, tokens), array("tokenizer.ggml.scores", 6, scores),
    array("tokenizer.ggml.token_type", 5, types),
    text "tokenizer.ggml.eos_token_id" .. number(4, 4) .. number(eos, 4) }
  if template then keys[#keys + 1] = text "tokenizer.chat_template" .. number(8, 4) .. text(template) end
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

  -- A seed whose tokens after these have an end, not at once, which is `wanted` if given; the tokens, and its place.
  local function some_end(ids, ends, wanted)
    for seed = 1, 200 do
      local found = ids_after(ids, seed)
      local at = first_end(found, #ids, ends)
      if at and at > #ids + 2 and found[at] == (wanted or found[at]) then return seed, found, at end
    end
    error "no seed of 200 draws an end"
  end

  local function words(ids, first, last)
    local list = {}
    for i = first, last do list[#list + 1] = ("x%d."):format(ids[i]) end
    return table.concat(list)
  end

  local function test_spec()
    local seed, ids, at = some_end({ 3, 1, 2 }, ENDS)
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
    local seed, ids, at = some_end({ 1, 5, 6 }, ENDS)
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

  -- -- Chats -----------------------------------------------------------------------------------------------------

  -- Words of ChatML, by their ids, which are no ends of the spec.
  local IM_END = 11
  local WORDS = { [10] = "<|im_start|>", [IM_END] = "<|im_end|>", [12] = "user\n", [13] = "assistant\n",
    [16] = "\n" }
  local TEMPLATE = "{{'<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n'}}"
  local PROMPT = { 10, 12, 5, 6, IM_END, 16, 10, 13 } -- of x5.x6.
  local CHAT = "generate --allow-random 1 --chat x5.x6. --new 12 --temperature 9 --seed %d "

  -- The answer is what --input gives after the prompt, up to the token that ends an answer in this form.
  local function test_chat()
    local ends = { IM_END, 2 }
    for _, id in ipairs(ENDS) do ends[#ends + 1] = id end
    local seed, ids, at = some_end(PROMPT, ends, IM_END)
    local chat = CHAT:format(seed)
    local function expect_answer(options, last)
      local list = {}
      for i = #PROMPT + 1, last do
        list[#list + 1] = ids[i] == IM_END and "" or WORDS[ids[i]] or ("x%d."):format(ids[i])
      end
      local out = expect_run(0, chat .. options)
      expect(out:gsub("%s", "") == table.concat(list):gsub("%s", ""), "%s: printed\n%s\nexpected\n%s", options, out,
        table.concat(list))
    end
    write("chat.gguf", gguf(2, WORDS, TEMPLATE))
    expect_answer("--tokenizer %chat.gguf", at - 1)
    expect_answer("--tokenizer %chat.gguf --ignore-eos", #ids)
    write("bare.gguf", gguf(2, WORDS))
    expect_answer("--tokenizer %bare.gguf --chat-template chatml", at - 1)
    expect_run(1, chat .. "--tokenizer %bare.gguf", path "bare.gguf" .. ": there is no chat template in it or beside",
      "--chat-template NAME chooses a form: chatml, llama3.1, llama3,")
    write("tokenizer_config.json", '{"chat_template": [{"name": "tools", "template": "?"}, {"name": "default", ' ..
      '"template": "' .. TEMPLATE:gsub("\\", "\\\\") .. '"}]}')
    expect_answer("--tokenizer %bare.gguf", at - 1)
    write("tokenizer_config.json", '{"chat_template": "' .. TEMPLATE:gsub("\\", "\\\\") .. '"}')
    expect_answer("--tokenizer %bare.gguf", at - 1)
    write("chat_template.jinja", "{{ 'USER: ' }}\nmore")
    expect_run(1, chat .. "--tokenizer %bare.gguf", path "chat_template.jinja" .. ": the chat template has a form " ..
      "that is not known: {{ 'USER: ' }}; --chat-template NAME")
    write("chat_template.jinja", TEMPLATE)
    expect_run(0, "pack --allow-random 1 --output %chat.gap --tokenizer %bare.gguf")
    for _, name in ipairs { "chat_template.jinja", "tokenizer_config.json" } do assert(os.remove(path(name))) end
    local packed = chat:gsub("%-%-allow%-random 1", "--weights %%chat.gap")
    local with, without = expect_run(0, packed), expect_run(0, chat .. "--tokenizer %chat.gguf")
    expect(with == without, "packed: printed\n%s\nexpected\n%s", with, without)
  end

  local function test_chat_refused()
    local chat = "generate --allow-random 1 --tokenizer %chat.gguf "
    expect_run(2, chat .. "--chat x5. --text x5.", "--text and --chat cannot be given together")
    expect_run(2, chat .. "--text x5. --system x5.", "--system and --chat-template need --chat")
    expect_run(2, "generate --input %in --output %result --chat-template llama2",
      "--system and --chat-template need --chat")
    local _, refused = expect_run(2, chat .. "--chat x5. --chat-template alpaca",
      "--chat-template alpaca: expected one of chatml,")
    local listed = expect_run(0, "generate --help")
    for name in refused:match("expected one of ([^\n]+)"):gmatch("[%w.-]+") do
      expect(listed:find(name, 1, true), "--help does not list the form %s", name)
    end
    expect_run(1, chat .. "--chat x5. --system x6. --chat-template gemma", "gemma takes no system message")
    expect_run(1, chat .. "--chat ' '", "--chat: the message of the chat is blank")
    write("tokenizer_config.json", "{")
    expect_run(1, chat:gsub("chat.gguf", "bare.gguf") .. "--chat x5.", path "tokenizer_config.json" .. ": byte ")
    assert(os.remove(path "tokenizer_config.json"))
  end

  test_spec()
  test_gguf()
  test_chat()
  test_chat_refused()
  expect_run(2, "generate --allow-random 1 --input %in --output %result --ignore-eos",
    "--ignore-eos needs --text or --chat")
end
