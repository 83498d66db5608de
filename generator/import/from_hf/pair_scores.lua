-- from_hf/pair_scores.lua: what a folder says of a decoder that judges pairs of texts by the token that it would say
-- next, such as Qwen3-Reranker: the text of a pair, from its chat template, and the tokens of its answers. Runs no
-- Jinja: of a template only texts and the messages of its roles are read.
local conversions = require "import.from_hf.conversions"
local fs = require "base.fs"
local json = require "import.from_hf.json"
local tokenizer = require "import.from_hf.tokenizer"

local pair_scores = {}

local TEMPLATE, SENTENCE = "/chat_template.jinja", "/config_sentence_transformers.json"

-- The module after the decoder: which tokens answer.
function pair_scores.module(self, folder)
  local path = folder .. "/config.json"
  local config = self:read(path)
  if not config then return end
  local input = config.module_input_name
  if input ~= nil and input ~= json.null and input ~= "causal_logits" then
    self:refuse(path, "module_input_name", input, '"causal_logits"', "the logits of the decoder are read")
  end
  local no = config.false_token_id
  self.answers = { path = path, ids = { config.true_token_id, no ~= json.null and no or nil } }
end

-- Bytes of a text as a spec has them.
local function spelt(text)
  return (text:gsub("[^%w ,.:;_()/<>|*+'&!#@^~$-]", function(byte) return ("%%%02x"):format(byte:byte()) end))
end

-- What an expression of a template gives: the place of a message, or the text that it has where nobody gives another.
-- prompt: that text of the folder's, or nil.
local function place_of(expression, prompt)
  for _, role in ipairs({ "query", "document" }) do
    if expression:find('"role", "eq", "' .. role .. '"', 1, true) or
      expression:find("'role', 'eq', '" .. role .. "'", 1, true) then
      return "{" .. role .. "}"
    end
  end
  local default = expression:match('default%("([^"\\]*)"%)') or expression:match("default%('([^'\\]*)'%)")
  return expression:find("system", 1, true) and default and spelt(prompt or default) or nil
end

-- The text of a pair that a template gives, as a spec has it; nil where it is not one of texts and roles alone.
function pair_scores.text_of(template, prompt)
  local parts, at = {}, 1
  if template:find("{%", 1, true) or template:find("{#", 1, true) then return nil end
  template = template:gsub("\n$", "")
  for before, expression, after in template:gmatch("(.-){{%-?%s*(.-)%s*%-?}}()") do
    local place = place_of(expression, prompt)
    if not place then return nil end
    parts[#parts + 1] = spelt(before) .. place
    at = after
  end
  local text = table.concat(parts) .. spelt(template:sub(at))
  return text:find("{query}.*{document}") and text or nil
end

-- The chat template of a folder and its path, or nil.
local function template_of(folder, of_tokenizer)
  local path = folder .. TEMPLATE
  if fs.kind(path) == "file" then return fs.read(path), path end
  local template = of_tokenizer and of_tokenizer.chat_template
  return type(template) == "string" and template or nil, folder .. "/tokenizer_config.json"
end

-- Adds what a score becomes, where the folder says it.
local function add_scores(self, config)
  local name = config.activation_fn
  if name == nil or name == json.null then return end
  local scores, expected = conversions.scores(name)
  if expected then
    return self:fail(self.path .. SENTENCE, "activation_fn is %s; expected %s", json.shown(name), expected)
  end
  self:add(self.path .. SENTENCE, "activation_fn", name, "text_input.scores", scores)
end

-- The prompt that stands for the system's words, or nil.
local function prompt_of(config)
  local name, prompts = config.default_prompt_name, config.prompts
  local prompt = json.is_object(prompts) and type(name) == "string" and prompts[name]
  return type(prompt) == "string" and prompt ~= "" and prompt or nil
end

local NO_TEXT = "has no text with the messages of the roles query and document alone; --text-pair TEXT says what a " ..
  "query and a document become"

-- The ids of "yes" and "no", which sentence-transformers takes where nothing says others.
local function usual_answers(self, folder)
  local path = tokenizer.path(self.path, folder)
  local ids = path and tokenizer.ids(path, { "yes", "no" }) or {}
  return ids.yes and ids.no and { path = path, ids = { ids.yes, ids.no } } or nil
end

-- Adds what a folder says of pairs. folder: that of config.json; encoder: what modules.json says, or nil; of_tokenizer:
-- its tokenizer_config.json, or nil.
function pair_scores.read(self, folder, encoder, of_tokenizer)
  local answers, given = encoder and encoder.answers, self.given["text_input.pair"]
  local template, path = template_of(folder, of_tokenizer)
  local config = self:read(self.path .. SENTENCE, true) or {}
  local text = template and pair_scores.text_of(template, prompt_of(config))
  if encoder and not answers or not (answers or text or given) then return end
  answers = answers or usual_answers(self, folder)
  if not answers then return end
  add_scores(self, config)
  self:add(answers.path, "true_token_id, false_token_id", nil, "text_input.answers", answers.ids)
  if text or given then
    self:add(path, "chat_template", template and "a template" or nil, "text_input.pair", text or nil)
  else
    self:fail(path, NO_TEXT)
  end
end

return pair_scores
