-- ops/late_interaction.lua: what programs do with texts whose tokens are compared one by one, as ColBERT does: markers,
-- lengths, tokens that fill a query, tokens that do not count. The vectors are logits of length one (ops/logits.lua);
-- this block changes no result of a call.
local types = require "schema.types"

local MOST_UNSCORED = 256

local check_id = types.count(0)

-- A list of ids, or one.
local function check_ids(value)
  local list = type(value) == "table" and value or { value }
  for i = 1, #list do
    if not check_id(list[i]) then list = {} end
  end
  if #list < 1 or #list > MOST_UNSCORED then
    return nil, ("must be a token id or a list of at most %d, found %s"):format(MOST_UNSCORED, types.shown(value))
  end
  return list
end

local IDS = { "query_marker", "document_marker", "expansion", "unscored" }
local LENGTHS = { "query_length", "document_length", "expansion_length" }

-- The names of this block's fields that a text_input has.
local function given(text_input)
  local names = {}
  for _, list in ipairs({ IDS, LENGTHS }) do
    for _, name in ipairs(list) do names[#names + 1] = text_input[name] ~= nil and name or nil end
  end
  return names
end

local function check_vocabulary(spec, fail)
  for _, name in ipairs(IDS) do
    local ids = spec.text_input[name]
    for _, id in ipairs(type(ids) == "table" and ids or { ids }) do
      if spec.vocab_size and id >= spec.vocab_size then
        fail(("text_input.%s has the id %d; expected ids below vocab_size, %d"):format(name, id, spec.vocab_size))
      end
    end
  end
end

local function check_lengths(spec, fail)
  local longest = type(spec.seq_len) == "table" and spec.seq_len.max
  for _, name in ipairs(LENGTHS) do
    local length = spec.text_input[name]
    if length and longest and length > longest then
      fail(("text_input.%s is %d; expected at most %d, the longest sequence of seq_len"):format(name, length, longest))
    end
  end
  if (spec.text_input.expansion == nil) ~= (spec.text_input.expansion_length == nil) then
    fail("text_input.expansion and text_input.expansion_length are given together: the token, and how many a query has")
  end
end

local function field(name, check, example, meaning)
  return { field = "text_input." .. name, default = "none", check = check, group = "whole models",
    example = ('vocab_size = 30522, logits = { kind = "unit", size = 128 }, text_input = { %s }'):format(example),
    meaning = meaning }
end

local ID, LENGTH = types.count(0), types.count(4, 65536)

return {
  name = "late_interaction",
  of_decoder = true,
  fields = {
    field("query_length", LENGTH, "query_length = 8", "the most tokens of a query, for a model of late interaction"),
    field("document_length", LENGTH, "document_length = 8",
      "the most tokens of a document, for a model of late interaction"),
    field("query_marker", ID, "query_marker = 1", "a token that follows the first one of each query"),
    field("document_marker", ID, "document_marker = 2", "a token that follows the first one of each document"),
    field("expansion", ID, "expansion = 103, expansion_length = 8",
      "a token that fills each query up to `expansion_length` tokens. With `mask = { tensor = \"bool\" }` no token " ..
      "sees those that fill"),
    field("expansion_length", LENGTH, "expansion = 103, expansion_length = 8", "see `text_input.expansion`"),
    field("unscored", types.described(("a token id, or a list of at most %d"):format(MOST_UNSCORED), check_ids),
      "unscored = { 999, 1000 }", "tokens of documents, such as punctuation, that no query is compared with"),
  },
  resolve = function(spec, fail)
    local names = spec.text_input and given(spec.text_input) or {}
    if #names == 0 then return end
    if not spec.logits or spec.logits.kind ~= "unit" then
      fail(("text_input.%s is given, but the model compares no tokens: that takes logits = { kind = \"unit\" }"):format(
        names[1]))
    end
    check_vocabulary(spec, fail)
    check_lengths(spec, fail)
  end,
  sentence = function(spec)
    local names = spec.text_input and given(spec.text_input) or {}
    return #names > 0 and "texts for late interaction: " .. table.concat(names, ", ") or nil
  end,
}
