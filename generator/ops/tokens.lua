-- ops/tokens.lua: where a stack's rows come from: those that a call gives, or the embedding's rows of its tokens.
-- vocab_size is a feature's field, as a single layer takes tokens too.
local formats = require "formats"
local types = require "schema.types"

-- A hash as base/hash.lua gives it.
local function check_hash(value)
  if type(value) == "string" and value:find("^" .. ("[0-9a-f]"):rep(16) .. "$") then return value end
  return nil, ("must be 16 hexadecimal digits, found %s"):format(types.shown(value))
end

local MOST_PROMPT = 1024 -- bytes of a prompt as a spec has it

-- A prompt, whose bytes but plain letters are %xx: a spec's text has no line's end, quote or backslash within a value.
local function check_prompt(value)
  if type(value) == "string" and #value <= MOST_PROMPT and not value:find("[^ -~]") and not value:find('["\\]') and
    not value:gsub("%%[%da-f][%da-f]", ""):find("%", 1, true) then
    return value
  end
  return nil, ('must be at most %d bytes of printable ASCII without " and \\, any other byte and %% as %%xx, found %s'):
    format(MOST_PROMPT, types.shown(value))
end

local MOST_PROMPTS = 256

-- Prompts by name, each "NAME=PROMPT", in which an equals sign of the name is %3d.
local function check_prompts(value)
  local list = type(value) == "table" and value or { value }
  for _, item in ipairs(list) do
    local ok, why = check_prompt(item)
    if not ok then return nil, why end
    if not item:find("^[^=]+=") then return nil, ('must be "NAME=PROMPT", found %s'):format(types.shown(item)) end
  end
  if #list < 1 or #list > MOST_PROMPTS then
    return nil, ("must be at most %d prompts, found %d"):format(MOST_PROMPTS, #list)
  end
  return list
end

local MOST_ENDS = 64 -- ids of text_input.eos

local check_id = types.count(0)

-- An id, or a list of them.
local function check_ends(value)
  local list = type(value) == "table" and value or { value }
  for i = 1, #list do
    if not check_id(list[i]) then list = {} end
  end
  if #list < 1 or #list > MOST_ENDS then
    return nil, ("must be a token id or a list of at most %d, found %s"):format(MOST_ENDS, types.shown(value))
  end
  return list
end

-- Fails where an id of the list has no row in the vocabulary.
local function check_rows(spec, fail)
  for _, id in ipairs(spec.text_input and spec.text_input.eos or {}) do
    if spec.vocab_size and id >= spec.vocab_size then
      fail(("text_input.eos has the id %d; expected ids below vocab_size, %d"):format(id, spec.vocab_size))
    end
  end
end

return {
  name = "tokens",
  of_decoder = true, -- in whose spec vocab_size is that of the whole model
  fields = {
    { field = "tokenizer", flag = "--tokenizer-hash", value = "HASH",
      check = types.described("the hash of the model's tokenizer.json, 16 hexadecimal digits", check_hash),
      default = "none", help = "hash of the model's tokenizer.json; --from-hf writes it",
      group = "whole models", example = 'vocab_size = 30522, tokenizer = "0123456789abcdef"',
      meaning = "programs compare it with the hash of the tokenizer that they are given; it changes no result" },
    { field = "text_input.truncation_side", check = types.choice({ "left", "right" }), default = "as in tokenizer.json",
      group = "whole models", example = 'vocab_size = 30522, text_input = { truncation_side = "left" }',
      meaning = "the side on which a text that is too long is truncated" },
    { field = "text_input.lower_case", check = types.boolean, default = "no", group = "whole models",
      example = "vocab_size = 30522, text_input = { lower_case = true }",
      meaning = "whether texts are converted to lower case before the normalizer of tokenizer.json" },
    { field = "text_input.token_types", check = types.boolean, default = "as in tokenizer.json", group = "whole models",
      example = "vocab_size = 30522, text_input = { token_types = false }",
      meaning = "`false`: all tokens have type 0, also those of the second text of a pair" },
    { field = "text_input.eos", default = "none", group = "whole models",
      check = types.described(("a token id, or a list of at most %d"):format(MOST_ENDS), check_ends),
      example = "vocab_size = 30522, text_input = { eos = { 2, 7 } }",
      meaning = "the tokens that end a text: `generate --text` stops there" },
    { field = "text_input.prompt", default = "none", group = "whole models",
      check = types.described("a string, in which bytes other than printable ASCII are `%xx`", check_prompt),
      example = 'vocab_size = 30522, text_input = { prompt = "query: " }',
      meaning = "a prefix of each text that is embedded, and of the first text of a pair" },
    { field = "text_input.prompts", default = "none", group = "whole models",
      check = types.described('a list of strings `"NAME=PROMPT"`, spelled like `text_input.prompt`', check_prompts),
      example = 'vocab_size = 30522, text_input = { prompts = { "query=query: ", "document=passage: " } }',
      meaning = "prompts that a call chooses by name: `embed --prompt NAME`; `search` takes `query` for queries, " ..
        "and `document`, `passage` or `corpus` for texts" },
  },
  resolve = function(spec, fail)
    spec.own_token_table = spec.vocab_size ~= nil
    for _, field in ipairs({ "tokenizer", "text_input" }) do
      if spec[field] and not spec.vocab_size then
        fail(field .. " is given, but there is no vocab_size: the model takes no token ids")
      end
    end
    check_rows(spec, fail)
  end,
  sentence = function(spec)
    return spec.tokenizer and ("made for the tokenizer.json of hash %s"):format(spec.tokenizer) or nil
  end,
  first_roles = function(spec, add)
    if spec.vocab_size then add("embedding", { spec.vocab_size, spec.d_model }) end
  end,
  packed_vocabulary = function(spec, add)
    if spec.own_token_table then
      formats.add_rows(add, "embedding", spec.vocab_size, spec.d_model, spec.embedding_dtype)
    end
  end,
  tensors = function(spec, add)
    add({ name = "query", shape = { "batch", "q_len", "d_model" }, is = "input" })
    if spec.vocab_size then add({ name = "tokens", shape = { "batch", "q_len" }, dtype = "i32", is = "input" }) end
  end,
  first_operations = function(spec, add)
    add({ name = "rows", op = spec.vocab_size and "lookup or copy" or "copy", phase = "row",
      reads = { "query", spec.vocab_size and "tokens" or nil }, writes = { "x" },
      weights = { spec.vocab_size and "embedding" or nil }, template = "tokens.row_in" })
  end,
}
