-- ops/pair_scores.lua: what programs do with a decoder that judges pairs of texts, such as Qwen3-Reranker: the text
-- that a query and a document become, and the tokens of its answers, whose logits after that text are the score.
-- Changes no result of a call.
local types = require "schema.types"

local MOST = 4096 -- bytes of a pair's text as a spec has it
local PLACES = { "{query}", "{document}" }

local WORDS = "a string with `{query}` and then `{document}`, in which bytes other than printable ASCII, and `=`, " ..
  "are `%xx`"

-- The text of a pair. Without "=" a program finds no other field in it.
local function check_pair(value)
  local query = type(value) == "string" and value:find(PLACES[1], 1, true)
  local document = query and value:find(PLACES[2], query, true)
  if document and #value <= MOST and not value:find("[^ -~]") and not value:find('["\\=]') and
    not value:gsub("%%[%da-f][%da-f]", ""):find("%", 1, true) then
    return value
  end
  return nil, ("must be %s, found %s"):format(WORDS, types.shown(value))
end

local check_id = types.count(0)

local function check_answers(value)
  local list = type(value) == "table" and value or { value }
  if #list >= 1 and #list <= 2 and check_id(list[1]) and check_id(list[2] or 0) then return list end
  return nil, ("must be a token id, or a list of two, found %s"):format(types.shown(value))
end

local function check_model(spec, fail)
  local logits = spec.logits
  if not logits or logits.kind ~= "linear" or logits.size and logits.size ~= spec.vocab_size then
    fail('text_input.pair and text_input.answers need logits = { kind = "linear" } of all tokens')
  end
  for _, id in ipairs(spec.text_input.answers or {}) do
    if spec.vocab_size and id >= spec.vocab_size then
      fail(("text_input.answers has the id %d; expected ids below vocab_size, %d"):format(id, spec.vocab_size))
    end
  end
end

return {
  name = "pair_scores",
  of_decoder = true,
  fields = {
    { field = "text_input.answers", default = "none", group = "whole models",
      check = types.described("a token id, or a list of two", check_answers),
      example = 'vocab_size = 30522, logits = { kind = "linear" }, text_input = { answers = { 9, 7 }, ' ..
        'pair = "{query} {document}" }',
      meaning = "the tokens by which a decoder answers yes and no: the score of a pair is the logit of the first " ..
        "less that of the second, or the logit of the only one" },
    { field = "text_input.scores", default = "sigmoid", group = "whole models",
      check = types.choice({ "sigmoid", "none" }),
      example = 'vocab_size = 30522, logits = { kind = "linear" }, text_input = { answers = { 9, 7 }, ' ..
        'scores = "none", pair = "{query} {document}" }',
      meaning = "what `rank` makes of such a score" },
    { field = "text_input.pair", flag = "--text-pair", value = "TEXT", default = "none", group = "whole models",
      check = types.described(WORDS, check_pair),
      example = 'vocab_size = 30522, logits = { kind = "linear" }, text_input = { answers = { 9, 7 }, ' ..
        'pair = "{query} {document}" }',
      help = "the text that a query and a document become, with {query} and {document}",
      meaning = "the text that a query and a document become, for a decoder that answers with a token" },
  },
  resolve = function(spec, fail)
    local text_input = spec.text_input
    if not text_input or not (text_input.pair or text_input.answers or text_input.scores) then return end
    if not text_input.pair or not text_input.answers then
      fail("text_input.pair and text_input.answers are given together: what is asked, and the tokens that answer")
    end
    check_model(spec, fail)
  end,
  sentence = function(spec)
    local answers = spec.text_input and spec.text_input.answers
    if not answers then return nil end
    return ("pairs of texts are scored by the logit of token %d%s after the text of the pair"):format(answers[1],
      answers[2] and (" less that of token %d"):format(answers[2]) or "")
  end,
}
